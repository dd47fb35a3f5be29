import Devices
import Foundation
import JSON
import Platform
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@testable import LibavPlayer

/// A tuner with a sink at its cable.
private struct Bench {
  let controller: TestController
  let sink: CapturingSink

  init(
    _ stations: [JSON],
    retryDelay: RetryDelay = RetryDelay(from: .milliseconds(20), upTo: .milliseconds(100)),
    patience: UInt64 = RadioConnection.patience
  ) async throws {
    let plugin = Plugin(
      id: "Test", version: "1",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in
          try InternetTuner(context: context, retryDelay: retryDelay, patience: patience)
        }
      ])
    sink = try CapturingSink()
    controller = try await TestController(
      plugin, role: .tuner, options: ["stations": .array(stations)])
    try await controller.plug(into: sink)
    try await controller.perform("on")
  }
}

@Suite("The tuner", .realTime)
struct TunerTests {
  /// A tone of 440 Hz, long enough to be sent round and round.
  private func sound(_ name: String, _ options: [String]) async throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 44_100 * 8, frequencies: [440, 440]).encoded(
      name, options, in: folder)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func station(_ server: RadioServer, _ more: JSONObject = [:]) -> JSON {
    var station: JSONObject = ["name": "Test FM", "url": .string(server.url)]
    for (key, value) in more { station[key] = value }
    return .object(station)
  }

  @Test(
    "E14 F4 · a station's stream is heard, in each of its formats",
    arguments: [
      ("s.mp3", "audio/mpeg", ["-b:a", "128k"]), ("s.aac", "audio/aac", ["-b:a", "96k"]),
      ("s.ogg", "application/ogg", ["-c:a", "libvorbis"]),
      ("s.opus", "audio/ogg", ["-c:a", "libopus"]),
    ])
  func formats(name: String, type: String, options: [String]) async throws {
    let server = try RadioServer(
      try await sound(name, options), type: type, answers: [.stream(titles: [])])
    let bench = try await Bench([station(server)])
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.sink.wait("three seconds of sound") { $0.frames > 132_300 }
    let stretch = try #require(bench.sink.stretches.first)
    let samples = stretch.channel(0)
    let rate = stretch.format.rate
    try #require(samples.count > rate * 2)
    #expect(abs(SoundMeasurement.frequency(samples[(rate / 2)..<(rate * 2)], rate: rate) - 440) < 1)
    try await bench.controller.wait("playing") { $0.playback?.status == .playing }
    #expect(bench.controller.playback?.item == "Test FM")
    #expect(bench.controller[.station] == "Test FM")
    #expect(server.requests.first?.lowercased().contains("icy-metadata: 1") == true)
  }

  @Test("The first seconds of a station are heard as soon as they are there")
  func start() async throws {
    let server = try RadioServer(
      try await sound("s.mp3", ["-b:a", "128k"]), answers: [.stalledStream(bytes: 30_000)])
    let bench = try await Bench([station(server)])
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.sink.wait("what the station has sent") { $0.frames > 44_100 }
  }

  /// The formats of stations: a file's name, the type that the server tells, and ffmpeg's options.
  static let streams: [(String, String, [String])] = [
    ("s.mp3", "audio/mpeg", ["-b:a", "128k"]), ("s.aac", "audio/aac", ["-b:a", "96k"]),
    ("vorbis.ogg", "application/ogg", ["-c:a", "libvorbis"]),
    ("flac.oga", "application/ogg", ["-c:a", "flac"]),
    ("s.opus", "audio/ogg", ["-c:a", "libopus"]),
  ]

  @Test(
    "E14 · a station that stalls for a moment is waited for, and does not count as playing meanwhile",
    arguments: streams)
  func shortStall(name: String, type: String, options: [String]) async throws {
    let sound = try await sound(name, options)
    let server = try RadioServer(
      sound, type: type, answers: [.stalledStream(bytes: sound.count / 2), .silence])
    let bench = try await Bench([station(server)], patience: 600_000)
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("playing") { $0.playback?.status == .playing }
    try await bench.controller.wait("waiting for data") {
      $0.playback?.status == .opening && $0.playback?.reason?.contains("no sound comes") == true
    }
    let frames = bench.sink.frames
    server.resumeStream()
    try await bench.controller.wait("playing again") { $0.playback?.status == .playing }
    try await bench.sink.wait("sound again") { $0.frames > frames + 44_100 }
    #expect(server.requests.count == 1, "it waited on the same connection")
    #expect(bench.sink.flushes == 0)
  }

  @Test(
    "E14 · a station that stalls for longer than its deadline is called again, in each format",
    arguments: streams)
  func longStall(name: String, type: String, options: [String]) async throws {
    let sound = try await sound(name, options)
    let server = try RadioServer(
      sound, type: type,
      answers: [.stalledStream(bytes: sound.count / 2), .stream(titles: ["Back"])])
    let bench = try await Bench([station(server)], patience: 1_500)
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("the title of a second connection") {
      $0.playback?.status == .playing && $0.playback?.title == "Back"
    }
    let frames = bench.sink.frames
    try await bench.sink.wait("its sound") { $0.frames > frames + 44_100 }
    #expect(server.requests.count >= 2)
    #expect(bench.controller.log.contains { $0.contains("no data in time") })
  }

  @Test(
    "E14 · a connection that the station closes is made again, in each format", arguments: streams)
  func closed(name: String, type: String, options: [String]) async throws {
    let sound = try await sound(name, options)
    let server = try RadioServer(
      sound, type: type,
      answers: [.brokenStream(bytes: sound.count / 2), .stream(titles: ["Back"])])
    let bench = try await Bench([station(server)])
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("the title of a second connection") {
      $0.playback?.status == .playing && $0.playback?.title == "Back"
    }
    #expect(bench.controller.log.contains { $0.contains("broke off") })
  }

  @Test(
    "E14 · a station that never comes back is not said to play, and is called again and again",
    arguments: streams)
  func neverBack(name: String, type: String, options: [String]) async throws {
    let sound = try await sound(name, options)
    let server = try RadioServer(
      sound, type: type, answers: [.stalledStream(bytes: sound.count / 2), .silence])
    let bench = try await Bench([station(server)], patience: 500)
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("failed") { $0.playback?.status == .failed }
    let count = bench.controller.playbacks.count
    try await bench.sink.wait("two more calls") { _ in server.requests.count >= 5 }
    #expect(bench.controller.playbacks.dropFirst(count).allSatisfy { $0.status == .failed })
    #expect(bench.controller.playback?.reason?.contains("in time") == true)
  }

  @Test(
    "E14 · a station whose headers never come, or that refuses, fails with a reason and is tried again"
  )
  func neverThere() async throws {
    let silent = try RadioServer([0], answers: [.silence])
    let bench = try await Bench([station(silent)], patience: 300)
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("failed") { $0.playback?.status == .failed }
    #expect(bench.controller.playback?.reason?.contains("no answer in time") == true)
    try await bench.sink.wait("another call") { _ in silent.requests.count >= 4 }
    let gone = try RadioServer([0], answers: [.silence])
    gone.close()
    let refused = try await Bench([station(gone)])
    try await refused.controller.perform(["station": "Test FM"])
    try await refused.controller.wait("failed") { $0.playback?.status == .failed }
    #expect(refused.controller.playback?.reason?.contains("refused") == true)
    for controller in [bench.controller, refused.controller] {
      #expect(!controller.playbacks.contains { $0.status == .playing })
    }
  }

  @Test("A station's titles are told as they come, whatever they hold")
  func titles() async throws {
    let server = try RadioServer(
      try await sound("s.mp3", ["-b:a", "128k"]),
      answers: [.stream(titles: ["One - A", "Don't Stop; 'Now'", "Größe"])])
    let bench = try await Bench([station(server)])
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("the last title") { $0.playback?.title == "Größe" }
    let told = bench.controller.playbacks.compactMap(\.title)
    #expect(told == ["One - A", "Don't Stop; 'Now'", "Größe"])
  }

  @Test("A broken connection is made again, and says so meanwhile")
  func reconnect() async throws {
    let server = try RadioServer(
      try await sound("s.mp3", ["-b:a", "128k"]),
      answers: [
        .brokenStream(bytes: 40_000), .refusal("503 Service Unavailable"),
        .stream(titles: ["Back"]),
      ])
    let bench = try await Bench([station(server)])
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("the title of the third connection") {
      $0.playback?.title == "Back"
    }
    #expect(server.requests.count == 3)
    let states = bench.controller.playbacks.map(\.status)
    #expect(states.filter { $0 == .playing }.count >= 2)
    let reasons = bench.controller.playbacks.compactMap(\.reason).joined(separator: "\n")
    #expect(reasons.contains("broke off"))
    #expect(reasons.contains("503 Service Unavailable"))
    #expect(bench.sink.flushes == 0, "what was heard is not cut off")
  }

  @Test("An unreachable station fails with a reason, and is tried again")
  func failing() async throws {
    let server = try RadioServer(
      try await sound("s.mp3", ["-b:a", "128k"]),
      answers: [
        .page("<html>"), .refusal("404 Not Found"), .page("#EXTM3U\nfile:///etc/passwd\n"),
        .page("#EXTM3U\nfile:///etc/passwd\n"), .stream(titles: ["At last"]),
      ])
    let bench = try await Bench([station(server)])
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("at last") { $0.playback?.title == "At last" }
    let playbacks = bench.controller.playbacks
    #expect(playbacks.contains { $0.status == .failed && $0.reason?.isEmpty == false })
    let reasons = playbacks.compactMap(\.reason).joined(separator: "\n")
    #expect(reasons.contains("404"))
    #expect(reasons.contains("playlist or a web page"))
  }

  @Test(
    "A redirect to anything but http and https is refused, with a reason",
    arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://x/", "http:///x", "data:,x"])
  func redirectedScheme(place: String) async throws {
    let server = try RadioServer([0], answers: [.redirect(place)])
    let bench = try await Bench([station(server)])
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("failed") { $0.playback?.status == .failed }
    #expect(bench.controller.playback?.reason?.contains("neither http nor https") == true)
    #expect(bench.sink.frames == 0)
  }

  @Test("A redirect into a private network is refused without a request there")
  func redirectedInside() async throws {
    let inside = try RadioServer([0], answers: [.silence])
    let names = [inside.url, inside.url.replacing("127.0.0.1", with: "localhost")]
    for name in names {
      let server = try RadioServer([0], answers: [.redirect(name)])
      let bench = try await Bench([station(server)])
      try await bench.controller.perform(["station": "Test FM"])
      try await bench.controller.wait("failed") { $0.playback?.status == .failed }
      #expect(bench.controller.playback?.reason?.contains("private network") == true)
    }
    #expect(inside.requests.isEmpty)
  }

  @Test("A redirect within the server that the owner named is followed, but not for ever")
  func redirectedWithin() async throws {
    let sound = try await sound("s.mp3", ["-b:a", "128k"])
    let server = try RadioServer(
      sound, answers: [.redirect("/elsewhere?a=b"), .redirect("relative"), .stream(titles: ["In"])])
    let bench = try await Bench([station(server)])
    try await bench.controller.perform(["station": "Test FM"])
    try await bench.controller.wait("the title") { $0.playback?.title == "In" }
    let paths = server.requests.map { $0.split(separator: " ")[1] }
    #expect(paths == ["/radio", "/elsewhere?a=b", "/relative"])
    let circle = try RadioServer([0], answers: [.redirect("/again")])
    let lost = try await Bench([station(circle)])
    try await lost.controller.perform(["station": "Test FM"])
    try await lost.controller.wait("failed") { $0.playback?.status == .failed }
    #expect(lost.controller.playback?.reason?.contains("redirects more than 8 times") == true)
  }

  @Test("Off and another frequency leave a station at once, also one that does not answer")
  func leaving() async throws {
    let server = try RadioServer([0], answers: [.silence])
    let bench = try await Bench([station(server, ["fm": 98.5])])
    try await bench.controller.perform(["fm": 98.5])
    try await bench.sink.wait("the request") { _ in !server.requests.isEmpty }
    let start = ContinuousClock.now
    try await bench.controller.perform(["fm": 99.5])
    try await bench.sink.wait("noise") { $0.frames > 0 }
    #expect(ContinuousClock.now - start < .seconds(8), "it did not wait for the station's time-out")
    try await bench.controller.perform("off")
    #expect(bench.controller[.power] == "off")
    #expect(bench.controller.playback?.status == .stopped)
    await #expect(throws: RPCError.self) { try await bench.controller.perform(["fm": 98.5]) }
  }

  @Test(
    "E14 E15 · between stations there is noise, on a station its stream; AM and FM keep their places"
  )
  func bands() async throws {
    let server = try RadioServer(
      try await sound("s.mp3", ["-b:a", "128k"]), answers: [.stream(titles: [])])
    let bench = try await Bench([
      station(server, ["fm": 98.5]),
      ["name": "Medium", "url": .string(server.url), "am": 999],
    ])
    let controller = bench.controller
    try await controller.perform(["fm": 99.1])
    try await bench.sink.wait("noise") { $0.frames > 48_000 }
    let noise = try #require(bench.sink.stretches.first)
    #expect((0.005...0.05).contains(SoundMeasurement.level(noise.channel(0).prefix(48_000))))
    #expect(controller[.station] == .null)
    #expect(controller[.frequency] == 99.1)
    #expect(controller.playback?.reason == "no station at 99.1 MHz")
    try await controller.perform(["frequency": 98.5])
    #expect(controller[.station] == "Test FM")
    try await controller.wait("playing") {
      $0.playback?.item == "Test FM" && $0.playback?.rate == 1
    }
    try await controller.perform("am")
    #expect(controller[.band] == "am")
    #expect(controller[.station] == "Medium")
    #expect(controller[.frequency] == 999)
    try await controller.perform("fm")
    #expect(controller[.frequency] == 98.5)
    await #expect(throws: RPCError.self) { try await controller.perform(["frequency": 999]) }
    await #expect(throws: RPCError.self) { try await controller.perform(["station": "Tset FM"]) }
    #expect(controller[.station] == "Test FM")
  }

  @Test("E14 · noise names its own frequency, and has no title of the station before")
  func emptyFrequencies() async throws {
    let server = try RadioServer(
      try await sound("s.mp3", ["-b:a", "128k"]), answers: [.stream(titles: ["One - A"])])
    let bench = try await Bench([station(server, ["fm": 98.5])])
    let controller = bench.controller
    try await controller.perform(["fm": 98.5])
    try await controller.wait("the title") { $0.playback?.title == "One - A" }
    for (frequency, name) in [(99.1, "99.1 MHz"), (101.1, "101.1 MHz")] {
      try await controller.perform(["fm": .number(frequency)])
      #expect(controller.playback?.status == .playing)
      #expect(controller.playback?.title == nil)
      #expect(controller.playback?.reason == "no station at \(name)")
    }
  }

  @Test("E9 · the catalogue lists the stations")
  func catalogue() async throws {
    let bench = try await Bench([["name": "Test FM", "url": "http://127.0.0.1:1/x"]])
    #expect(try await bench.controller.scan(nil).map(\.id) == ["Test FM"])
  }

  @Test(
    "Options that cannot work are refused with the place",
    arguments: [
      (["url": "http://x/"], "stations[0]"), (["name": "A", "url": "file:///etc/passwd"], "http"),
      (["name": "A", "url": "http://x/", "am": 98.5], "520 kHz"),
      (["name": "A", "url": "http://x/", "am": 999, "fm": 98.5], "not on both"),
    ] as [(JSON, String)])
  func options(station: JSON, hint: String) async throws {
    let error = await #expect(throws: RPCError.self) { _ = try await Bench([station]) }
    #expect(error?.message.contains(hint) == true)
  }

  @Test("A frequency belongs to the nearest station within half a channel")
  func nearest() throws {
    let stations = try StationList(options: [
      "stations": [
        ["name": "A", "url": "http://a/", "fm": 98.5],
        ["name": "B", "url": "http://b/", "fm": 98.6],
        ["name": "C", "url": "http://c/", "am": 999],
      ]
    ])
    #expect(stations.station(at: 98.54, on: .fm)?.name == "A")
    #expect(stations.station(at: 98.56, on: .fm)?.name == "B")
    #expect(stations.station(at: 98.45, on: .fm)?.name == "A")
    #expect(stations.station(at: 98.7, on: .fm) == nil)
    #expect(stations.station(at: 1003, on: .am)?.name == "C")
    #expect(stations.station(at: 1004, on: .am) == nil)
    #expect(stations.firstFrequency(of: .am) == 999)
  }
}
