import Foundation
import JSON
import Platform
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

/// A theater with the devices of docs/devices.real.json: mpv plays the image of a DVD on an X display and through
/// the PCM `theater` on a PulseAudio sink; lights, screen and popper are behind mosquitto; the projector asks for a
/// password.
struct RealTheater {
  let display: VirtualScreen
  let speakers: Speakers
  let broker: BrokerFixture
  let lights, cover, plug: MQTTFixture
  let projector: ProjectorFixture
  static let password = "a word for the projector"
  static let film = "Night"
  static let item = "discs/Night.iso"
  static let red = VirtualScreen.Color(red: 255, green: 0, blue: 0)
  static let blue = VirtualScreen.Color(red: 0, green: 0, blue: 255)

  /// The condition of a suite with these devices.
  static let isInstalled = ConditionTrait.enabled(
    if: SoundServer.isInstalled, "needs the packages pulseaudio and pulseaudio-utils")

  /// A DVD with two chapters of a minute: red with 440 Hz, then blue with 880 Hz.
  static let dvd = Result {
    let folder = try TemporaryFolder()
    try TestFilms.makeDVD(
      in: folder, seconds: 60,
      chapters: [.init(color: "red", tone: 440), .init(color: "blue", tone: 880)])
    return folder
  }

  init() async throws {
    display = try VirtualScreen()
    speakers = try await Speakers()
    broker = try BrokerFixture()
    lights = try MQTTFixture(broker, "zigbee2mqtt", "dimmer")
    cover = try MQTTFixture(broker, "shelly", "cover", ["position": 100])
    plug = try MQTTFixture(broker, "tasmota", "plug")
    projector = try await ProjectorFixture([
      "password": .string(Self.password), "authentication": "sha256",
    ])
  }

  /// Runs `body` with a controller on the devices.
  ///
  /// - Parameter discs: The folder of the films; nil for one with the DVD.
  func withRoom(
    discs: String? = nil, _ body: (LiveController) async throws -> Void
  ) async throws {
    defer {
      display.end()
      speakers.end()
    }
    let discs = try discs ?? Self.dvd.get().path(of: "discs")
    try await withLiveController(
      alsa: speakers.definition,
      arrange: { (configuration, folder) in
        configuration = Configuration(
          music: folder.appendingPathComponent("music").path, of: "docs/devices.real.json")
        func set(_ device: String, _ option: String, _ value: JSON) {
          configuration.set(option, at: ["devices", device, "options"], value)
        }
        set("amp", "device", .string(Speakers.pcm))
        set("dvd", "folders", [.string(discs)])
        set("dvd", "drive", "")
        set("dvd", "display", .string(display.display))
        set("dvd", "videoOutput", "x11")
        set("projector", "host", "127.0.0.1")
        set("projector", "port", .integer(projector.port))
        set("projector", "password", .string(Self.password))
        for (name, fixture) in [("lights", lights), ("screen", cover), ("popper", plug)] {
          set(name, "broker", broker.options)
          set(name, "topic", .string(fixture.topic))
          // The machine may be busy with other tests.
          set(name, "timeout", 9)
        }
        set("projector", "polling", 2)
        set("screen", "travel", 1)
        set("lights", "fade", 0)
        configuration.set("whenFailed", at: ["activities", "film"], "30 s")
      }
    ) { room in
      try await room.registerOwner()
      #expect(
        await eventually { await room.titles("films").contains(Self.film) }, "\(room.log)")
      try await body(room)
    }
  }

  // MARK: Observations

  /// A value of a device's state, or where it comes from: `provenance`.
  func state(
    _ device: String, _ key: String, _ part: String = "value", in room: LiveController
  ) async -> JSON? {
    let status = try? await room.device(device)
    return status?["state"]?[key]?[part]
  }

  /// The state of every device but `device`, without the playback, whose position changes.
  func states(except device: String, in room: LiveController) async throws -> [String: JSON] {
    var states: [String: JSON] = [:]
    for other in try #require(try await room.state("/devices")["devices"]?.array) {
      guard let name = other["id"]?.string, name != device else { continue }
      for (key, value) in other["state"]?.object ?? [:] where key != "playback" {
        states["\(name).\(key)"] = value["value"]
      }
    }
    return states
  }

  func position(in room: LiveController) async -> Double {
    (try? await room.state("/status"))?["playback"]?["position"]?.number ?? -1
  }

  /// Expects that the film plays on from `position`, with picture and sound, as the running activity.
  func expectFilm(
    from position: Double, in room: LiveController,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(
      await eventually { await self.position(in: room) > position + 1 }, "\(room.log)",
      sourceLocation: location)
    let status = try await room.state("/status")
    #expect(status["activity"]?["itemTitle"]?.string == Self.film, sourceLocation: location)
    #expect(status["activity"]?["status"] == "running", sourceLocation: location)
    #expect(status["playback"]?["item"]?.string == Self.item, sourceLocation: location)
    #expect(await eventually { display.shows(Self.red) }, "\(room.log)", sourceLocation: location)
    #expect(
      await eventually { speakers.sound(440, not: 880) }, "\(room.log)", sourceLocation: location)
  }

  /// Expects that a device's state is known, or unknown.
  func expect(
    _ device: String, _ key: String, is provenance: JSON, in room: LiveController,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    #expect(
      await eventually { await state(device, key, "provenance", in: room) == provenance },
      "\(device): \(room.log)", sourceLocation: location)
  }

  /// Expects that the film has failed for `reason`, and that the end of the activity restores the
  /// room.
  func expectFailure(
    _ reason: String, in room: LiveController
  ) async throws {
    #expect(
      await eventually { (try? await room.expect("status"))?.contains(reason) == true },
      "\(room.log)")
    #expect(try await room.state("/status")["playback"]?["state"] == "failed")
    try await room.expect("end")
    await expectEnd(in: room)
  }

  /// Expects that the activity is over, and that the room is as it was before.
  func expectEnd(hasDisplay: Bool = true, in room: LiveController) async {
    for (device, key, value) in [
      ("screen", "position", "up"), ("projector", "power", "off"), ("lights", "brightness", 100),
      ("popper", "power", "off"),
    ] as [(String, String, JSON)] {
      #expect(
        await eventually { await state(device, key, in: room) == value },
        "\(device): \(room.log)")
    }
    #expect(
      await eventually { (try? await room.state("/status"))?["activity"]?["status"] == "idle" },
      "\(room.log)")
    #expect(await eventually { speakers.areSilent })
    // The file of a display that has ended keeps its last picture.
    guard hasDisplay else { return }
    #expect(await eventually { !display.shows(Self.red) && !display.shows(Self.blue) })
  }

  /// The process of mpv, the only child of its plugin. Linux lists the children of each
  /// thread separately.
  func mpv(in room: LiveController) async throws -> pid_t? {
    let threads = "/proc/\(try #require(try await room.pid(of: "MpvPlayer")))/task"
    let names = try FileManager.default.contentsOfDirectory(atPath: threads)
    let children = names.compactMap {
      try? String(contentsOfFile: "\(threads)/\($0)/children", encoding: .utf8)
    }
    return children.joined(separator: " ").split(separator: " ").compactMap { pid_t($0) }.first
  }
}

/// A PulseAudio sink whose sound is recorded.
final class Speakers: Sendable {
  static let pcm = "speakers"
  private static let rate = 48_000
  private let server: SoundServer
  private let recorder = Mutex<ChildProcess?>(nil)
  private let file: String

  init() async throws {
    server = try await SoundServer()
    file = server.folder.path(of: "heard.raw")
    try record()
  }

  /// The ALSA configuration of the PCM.
  var definition: String { server.definition(of: Self.pcm) }

  /// Kills the server, as a crash would.
  func end() {
    server.stop()
    guard let recorder = recorder.withLock({ $0 }) else { return }
    recorder.signal(SIGTERM)
    recorder.wait(killingAfter: 10)
  }

  /// Starts the server again, and a new recording.
  func start() async throws {
    try await server.start()
    try record()
  }

  private func record() throws {
    let new = try server.record(to: file)
    recorder.withLock { $0 = new }
  }

  /// The last half second of the sound; the sink is recorded without a pause.
  private var newest: Recording? {
    guard let data = FileManager.default.contents(atPath: file) else { return nil }
    let frames = data.count / 4
    guard frames >= Self.rate else { return nil }
    return Recording(
      stereo: data[(4 * (frames - Self.rate / 2))..<(4 * frames)], rate: Double(Self.rate))
  }

  /// Whether one tone is heard now, and the other one is not.
  func sound(_ tone: Double, not other: Double) -> Bool {
    guard let newest else { return false }
    let amplitude = newest.amplitude(of: tone, in: 0)
    return amplitude > 0.01 && amplitude > 10 * newest.amplitude(of: other, in: 0)
  }

  /// Whether nothing is heard now.
  var areSilent: Bool { newest?.sounding(0).isEmpty == true }
}

extension LiveController {
  /// The warnings and errors of the log.
  var warnings: [String] {
    log.split(separator: "\n").map(String.init).filter {
      $0.contains(" warning ") || $0.contains(" error ")
    }
  }
}
