import Devices
import JSON
import PluginProtocol
import Testing

@Suite("Requests, answers and notifications")
struct PayloadTests {
  private func check<Request: PluginRequest>(_ request: Request, _ params: JSON) {
    #expect(request.params == params, "\(Request.method)")
    #expect(Request(params: params)?.params == params, "\(Request.method)")
  }

  @Test("Each request's params read back as themselves")
  func requests() {
    check(
      InitializeRequest(version: ProtocolVersion(major: 1, minor: 0), controller: "theater"),
      ["protocol": "1.0", "controller": "theater"])
    check(
      OpenRequest(device: "amp", role: .amplifier, options: ["device": "null"]),
      ["device": "amp", "role": "amplifier", "options": ["device": "null"]])
    check(CloseRequest(device: "amp"), ["device": "amp"])
    check(
      PerformRequest(device: "amp", command: ["volume": 40]),
      ["device": "amp", "command": ["volume": 40]])
    check(ScanRequest(device: "cd", folder: "/m"), ["device": "cd", "folder": "/m"])
    check(ScanRequest(device: "cd", folder: nil), ["device": "cd"])
    check(ScanRequest(device: "cd", folder: nil, cursor: "7"), ["device": "cd", "cursor": "7"])
    check(PictureRequest(device: "dvd", item: "a/b"), ["device": "dvd", "item": "a/b"])
    let socket = CableSocket(path: "/run/a", token: "t")
    check(
      OpenSocketRequest(device: "amp", input: "cd", socket: socket),
      ["device": "amp", "input": "cd", "path": "/run/a", "token": "t"])
    check(
      PlugRequest(device: "cd", socket: socket),
      ["device": "cd", "path": "/run/a", "token": "t"])
    check(
      PlugRequest(device: "cd", target: .pcm("hw:0,0")), ["device": "cd", "pcm": "hw:0,0"])
    check(LendRequest(device: "amp", input: "cd"), ["device": "amp", "input": "cd"])
    check(UnplugRequest(device: "cd"), ["device": "cd"])
    check(PingRequest(), [:])
    check(ShutdownRequest(), [:])
  }

  @Test("Refuses params with a missing member or one of another type")
  func broken() {
    #expect(InitializeRequest(params: ["protocol": 1]) == nil)
    #expect(InitializeRequest(params: ["protocol": "one"]) == nil)
    #expect(OpenRequest(params: ["device": "a", "role": "toaster"]) == nil)
    #expect(PerformRequest(params: ["device": "a"]) == nil)
    #expect(PerformRequest(params: ["device": 3, "command": "on"]) == nil)
    #expect(ScanRequest(params: []) == nil)
    #expect(PictureRequest(params: ["device": "a"]) == nil)
    #expect(OpenSocketRequest(params: ["device": "a", "input": "b", "path": "/c"]) == nil)
    #expect(PlugRequest(params: ["device": "a", "token": "b"]) == nil)
    #expect(PlugRequest(params: ["device": "a", "pcm": ""]) == nil)
    #expect(
      PlugRequest(params: ["device": "a", "pcm": "hw:0", "path": "/c", "token": "b"]) == nil)
    #expect(LendRequest(params: ["device": "a"]) == nil)
    #expect(UnplugRequest(params: [:]) == nil)
    #expect(CancelNotification(params: ["id": "7"]) == nil)
    #expect(StateNotification(params: ["state": [:]]) == nil)
    #expect(LogNotification(params: ["level": "info"]) == nil)
  }

  @Test("Answers read back as themselves")
  func answers() {
    let capabilities = Capabilities(names: ["seek"], reportsState: false, cables: [.pcm, .wired])
    #expect(OpenRequest.decodeAnswer(OpenRequest.encodeAnswer(capabilities)) == capabilities)
    #expect(OpenRequest.decodeAnswer([:]) == Capabilities())
    let report = StateNotification(device: "amp", values: [.volume: 40])
    let result = PerformRequest.encodeAnswer(.init(report: report))
    #expect(result == ["report": ["device": "amp", "state": ["volume": 40]]])
    #expect(PerformRequest.decodeAnswer(result)?.report?.params == report.params)
    #expect(PerformRequest.encodeAnswer(.init()) == [:])
    #expect(PerformRequest.decodeAnswer([:])?.report == nil)
    #expect(PerformRequest.decodeAnswer(["report": [:]]) == nil)
    let items = [CatalogueItem(id: "1", title: "One", duration: 61.5, channels: 6)]
    for page in [ScanRequest.Page(items), ScanRequest.Page(items, next: "7")] {
      #expect(ScanRequest.decodeAnswer(ScanRequest.encodeAnswer(page)) == page)
    }
    #expect(
      ScanRequest.decodeAnswer(["items": [["id": "1"], 3, ["id": "2", "title": "Two"]]])?.items
        .count
        == 1)
    #expect(ScanRequest.decodeAnswer([:]) == nil)
    #expect(InitializeRequest.decodeAnswer(["protocol": "1.0"]) == nil)
  }

  @Test("A state has values, their provenance and attributes; unknown keys are ignored")
  func state() throws {
    let state = StateNotification(
      device: "lamp", values: [.power: "on", .brightness: 40], provenance: .assumed,
      attributes: ["hours": Attribute(12, unit: "h", label: "Lamp")])
    let read = try #require(StateNotification(params: state.params))
    #expect(read.values == state.values && read.provenance == .assumed)
    #expect(read.attributes == state.attributes && read.device == "lamp")
    let newer: JSON = ["device": "lamp", "state": ["power": "on", "warp": 9], "mood": 1]
    #expect(StateNotification(params: newer)?.values == [.power: "on"])
    #expect(StateNotification(params: newer)?.provenance == .reported)
    for word: JSON in ["guess", 1] {
      let guessed: JSON = ["device": "lamp", "state": ["power": "on"], "provenance": word]
      #expect(StateNotification(params: guessed)?.provenance == .unknown)
    }
  }

  @Test("F4 · levels and the request for them read back as themselves")
  func levels() throws {
    let meter = MeterNotification(device: "amp", isOn: true)
    #expect(meter.params == ["device": "amp", "on": true])
    #expect(MeterNotification(params: meter.params)?.isOn == true)
    #expect(MeterNotification(params: ["device": "amp"]) == nil)
    let levels = try #require(SoundLevels(peak: [-3, -6.5], rms: [-10, -120]))
    let report = LevelsNotification(device: "amp", levels: levels)
    #expect(report.params == ["device": "amp", "peak": [-3, -6.5], "rms": [-10, -120]])
    #expect(LevelsNotification(params: report.params)?.levels == levels)
    #expect(LevelsNotification(params: ["peak": [-3], "rms": [-3]]) == nil)
  }

  @Test("F4 · converts amplitudes to dB of full scale, limited to −120 to 24")
  func decibels() throws {
    let levels = try #require(
      SoundLevels(
        peakAmplitudes: [1, 0.5, 0, .infinity, .nan], rmsAmplitudes: [0.1, -1, 1e-9, 2, 1e30]))
    #expect(levels.peak == [0, -6, -120, 24, -120])
    #expect(levels.rms == [-20, -120, -120, 6, 24])
    #expect(SoundLevels(peakAmplitudes: [], rmsAmplitudes: []) == nil)
    let many = Array(repeating: 1.0, count: 20)
    #expect(SoundLevels(peakAmplitudes: many, rmsAmplitudes: many)?.peak.count == 8)
  }

  @Test("A refusal keeps its kind, hint and time on the wire", arguments: DeviceError.Code.allCases)
  func errors(code: DeviceError.Code) {
    let error = DeviceError(
      code, "no", hint: "Wait.", device: "lamp", retryAfter: .milliseconds(1500))
    #expect(RPCError(error).deviceError(device: "lamp") == error)
  }

  @Test("An error of no known kind is `failed`; a method or params error is `unsupported`")
  func foreignErrors() {
    func kind(_ error: RPCError) -> DeviceError.Code { error.deviceError(device: "a").code }
    #expect(kind(RPCError(-1, "x")) == .failed)
    #expect(kind(RPCError(-32000, "x", data: ["kind": "melted"])) == .failed)
    #expect(kind(RPCError(RPCError.unknownMethodCode, "x")) == .unsupported)
    #expect(kind(RPCError(RPCError.invalidParamsCode, "x")) == .unsupported)
  }

  @Test("Ignores a retry time outside 0 to 3600 s", arguments: [-1.0, 1e300, 3601])
  func waits(seconds: Double) {
    let error = RPCError(-32000, "x", data: ["kind": "notNow", "retryAfter": .number(seconds)])
    #expect(error.deviceError(device: "a").retryAfter == nil)
  }

  @Test("Reads versions strictly; equal major numbers are compatible")
  func versions() {
    for text in ["", "1", "1.", ".1", "1.0.0", "-1.0", "1.x", " 1.0"] {
      #expect(ProtocolVersion(text) == nil, "\(text)")
    }
    let one = ProtocolVersion(major: 1, minor: 0)
    #expect(ProtocolVersion("1.0") == one && one.description == "1.0")
    #expect(one.isCompatible(with: ProtocolVersion(major: 1, minor: 9)))
    #expect(!one.isCompatible(with: ProtocolVersion(major: 2, minor: 0)))
  }
}
