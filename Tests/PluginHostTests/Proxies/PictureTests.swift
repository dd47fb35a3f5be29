import Devices
import JSON
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

@Suite("E9 · pictures of a plugin's items", .timeLimit(.minutes(5)))
struct PictureTests {
  private static let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]

  @Test("a player's picture arrives as it is, and a command does not wait for it")
  func arrives() async throws {
    let script = DeviceScript([.power: "off"])
    let picture = try #require(ItemPicture(Self.bytes))
    script.state.withLock { $0.picture = picture }
    try await HostBench(CDPlayerCommand.self, script).run { cd in
      let media = try #require(cd.facet((any MediaSource).self))
      #expect(try await media.picture(of: "a/b.flac") == picture)
      #expect(script.commands == [["picture": "a/b.flac"]])
      script.holdCommands()
      async let held = media.picture(of: "held")
      await script.waitForCommands(2)
      script.state.withLock { $0.holdsCommands = false }
      try await cd.perform(CDPlayerCommand.on)
      #expect(script.isHeld)
      script.release()
      #expect(try await held == picture)
    }
  }

  @Test("a film player without a picture, a tuner and a lamp")
  func none() async throws {
    let script = DeviceScript([.power: "off"])
    try await HostBench(DVDPlayerCommand.self, script).run { dvd in
      let media = try #require(dvd.facet((any MediaSource).self))
      let picture = try await media.picture(of: "x")
      #expect(picture == nil)
      #expect(script.commands.count == 1)
    }
    let stations = DeviceScript([.power: "off"])
    try await HostBench(TunerCommand.self, stations).run { tuner in
      let media = try #require(tuner.facet((any MediaSource).self))
      let picture = try await media.picture(of: "x")
      #expect(picture == nil)
      #expect(stations.commands.isEmpty, "a tuner is not asked")
    }
    let lights = try HostBench(LightsCommand.self, DeviceScript()).device
    #expect(lights.facet((any MediaSource).self) == nil)
  }

  @Test("a picture that does not come within 30 s is an error")
  func late() async throws {
    let script = DeviceScript([.power: "off"])
    script.holdCommands()
    let bench = try HostBench(CDPlayerCommand.self, script)
    try await bench.run { cd in
      async let late = failure(of: "x", on: cd)
      await script.waitForCommands(1)
      bench.clock.advance(by: .seconds(30))
      #expect(await late?.code == .timeout)
      script.release()
    }
  }

  /// The error of a request for a picture; `nil` if it succeeds.
  private func failure(of item: String, on device: any Device) async -> DeviceError? {
    do throws(DeviceError) {
      _ = try await device.facet((any MediaSource).self)?.picture(of: item)
      return nil
    } catch {
      return error
    }
  }

  private static let program = #"""
    import base64
    JPEG = b"\xff\xd8\xff\xe0" + b"x" * 100
    def text(data): return base64.b64encode(data).decode()
    ANSWERS = {
        "good": {"data": text(JPEG)}, "none": {}, "number": {"data": 5},
        "garbage": {"data": "no base64!"}, "markup": {"data": text(b"<svg onload=alert(1)>")},
        "large": {"data": text(JPEG + b"x" * 524288)}, "list": []}
    asked = 0
    def opening(request):
        state(request["params"]["device"], power="off")
        reply(request, {"capabilities": []})
    def picture(request):
        reply(request, ANSWERS[request["params"]["item"]])
    def answer(request):
        method = request["method"]
        if method == "initialize": initialize(request)
        elif method == "open": opening(request)
        elif method == "picture": picture(request)
        elif "id" in request: reply(request, {})

    """#

  private func plugin(_ more: String = "") throws -> ScriptPlugin {
    try ScriptPlugin(
      Self.program + more,
      devices: [HostedDevice(id: "cd", role: .cdPlayer, plugin: "Script")],
      manifest: ScriptPlugin.playerManifest)
  }

  @Test("F4 · what is no picture counts as none, with one warning")
  func hostileAnswers() async throws {
    let plugin = try plugin()
    try await plugin.run { cd in
      let media = try #require(cd.facet((any MediaSource).self))
      #expect(try await media.picture(of: "good")?.bytes.count == 104)
      for item in ["none", "list"] { #expect(try await media.picture(of: item) == nil) }
      let proxy = try #require(cd as? DeviceProxy)
      #expect(proxy.warning == nil)
      for item in ["number", "garbage", "markup", "large"] {
        #expect(try await media.picture(of: item) == nil, "\(item)")
        #expect(proxy.warning?.contains("base64") == true, "the first one stays")
      }
      #expect(try await media.picture(of: "good") != nil)
    }
  }

  @Test("a plugin that does not know the request is not asked again")
  func unknownMethod() async throws {
    let plugin = try plugin(
      """
      def picture(request):
          global asked
          asked += 1
          code = -32601 if asked == 1 else -32603
          send({"id": request["id"], "error": {"code": code, "message": "unknown method"}})

      """)
    try await plugin.run { cd in
      let media = try #require(cd.facet((any MediaSource).self))
      for _ in 1...3 {
        let picture = try await media.picture(of: "good")
        #expect(picture == nil)
      }
    }
  }

  @Test("a plugin that refuses says why")
  func refusal() async throws {
    let plugin = try plugin(
      """
      def picture(request):
          send({"id": request["id"], "error": {
              "code": -32000, "message": "the disk sleeps", "data": {"kind": "notNow"}}})

      """)
    try await plugin.run { cd in
      let error = await failure(of: "x", on: cd)
      #expect(error?.code == .notNow && error?.message == "the disk sleeps")
    }
  }
}
