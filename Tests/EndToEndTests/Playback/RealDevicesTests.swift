import Foundation
import JSON
import Platform
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

/// An evening with the devices of docs/devices.real.json: mpv plays the image of a DVD on an X display and through
/// the PCM `theater` on a PulseAudio sink; lights, screen and popper are behind mosquitto; the projector asks for a
/// password.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: SoundServer.isInstalled, "needs the packages pulseaudio and pulseaudio-utils"))
struct RealDevicesTests {
  private let display: VirtualScreen
  private let speakers: Speakers
  private let broker: BrokerFixture
  private let lights, cover, plug: MQTTFixture
  private let projector: ProjectorFixture
  private static let password = "a word for the projector"
  private static let film = "Night"
  private static let item = "discs/Night.iso"
  private static let red = VirtualScreen.Color(red: 255, green: 0, blue: 0)
  private static let blue = VirtualScreen.Color(red: 0, green: 0, blue: 255)

  /// A DVD with two chapters of a minute: red with 440 Hz, then blue with 880 Hz.
  private static let dvd = Result {
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
  private func withRoom(
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
      }
    ) { room in
      try await room.moveIn()
      #expect(
        await eventually { await room.titles("films").contains(Self.film) }, "\(room.log)")
      try await body(room)
    }
  }

  // MARK: Observations

  /// A value of a device's state, or where it comes from: `provenance`.
  private func state(
    _ device: String, _ key: String, _ part: String = "value", in room: LiveController
  ) async -> JSON? {
    let status = try? await room.device(device)
    return status?["state"]?[key]?[part]
  }

  /// The state of every device but `device`, without the playback, whose position changes.
  private func states(except device: String, in room: LiveController) async throws -> [String: JSON]
  {
    var states: [String: JSON] = [:]
    for other in try #require(try await room.json("devices")["devices"]?.array) {
      guard let name = other["id"]?.string, name != device else { continue }
      for (key, value) in other["state"]?.object ?? [:] where key != "playback" {
        states["\(name).\(key)"] = value["value"]
      }
    }
    return states
  }

  private func position(in room: LiveController) async -> Double {
    (try? await room.json("status"))?["playback"]?["position"]?.number ?? -1
  }

  /// Expects that the film plays on from `position`, with picture and sound, as the running activity.
  private func expectFilm(
    from position: Double, in room: LiveController,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(
      await eventually { await self.position(in: room) > position + 1 }, "\(room.log)",
      sourceLocation: location)
    let status = try await room.json("status")
    #expect(status["activity"]?["itemTitle"]?.string == Self.film, sourceLocation: location)
    #expect(status["activity"]?["status"] == "running", sourceLocation: location)
    #expect(status["playback"]?["item"]?.string == Self.item, sourceLocation: location)
    #expect(await eventually { display.shows(Self.red) }, "\(room.log)", sourceLocation: location)
    #expect(
      await eventually { speakers.sound(440, not: 880) }, "\(room.log)", sourceLocation: location)
  }

  /// Expects that a device's state is known, or unknown.
  private func expect(
    _ device: String, _ key: String, is provenance: JSON, in room: LiveController,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    #expect(
      await eventually { await state(device, key, "provenance", in: room) == provenance },
      "\(device): \(room.log)", sourceLocation: location)
  }

  /// Expects that the film has failed for `reason`, and that the end of the activity restores the
  /// room.
  private func expectFailure(
    _ reason: String, hasDisplay: Bool = true, isEnding: Bool = true, in room: LiveController
  ) async throws {
    #expect(
      await eventually { (try? await room.expect("status"))?.contains(reason) == true },
      "\(room.log)")
    #expect(try await room.json("status")["playback"]?["state"] == "failed")
    if isEnding { try await room.expect("end") }
    await expectEnd(hasDisplay: hasDisplay, in: room)
  }

  /// Expects that the activity is over, and that the room is as it was before.
  private func expectEnd(hasDisplay: Bool = true, in room: LiveController) async {
    for (device, key, value) in [
      ("screen", "position", "up"), ("projector", "power", "off"), ("lights", "brightness", 100),
      ("popper", "power", "off"),
    ] as [(String, String, JSON)] {
      #expect(
        await eventually { await state(device, key, in: room) == value },
        "\(device): \(room.log)")
    }
    #expect(
      await eventually { (try? await room.json("status"))?["activity"]?["status"] == "idle" },
      "\(room.log)")
    #expect(await eventually { speakers.areSilent })
    // The file of a display that has ended keeps its last picture.
    guard hasDisplay else { return }
    #expect(await eventually { !display.shows(Self.red) && !display.shows(Self.blue) })
  }

  /// The process of mpv, the only child of its plugin. Linux lists the children of each
  /// thread separately.
  private func mpv(in room: LiveController) async throws -> pid_t? {
    let threads = "/proc/\(try #require(try await room.pid(of: "MpvPlayer")))/task"
    let names = try FileManager.default.contentsOfDirectory(atPath: threads)
    let children = names.compactMap {
      try? String(contentsOfFile: "\(threads)/\($0)/children", encoding: .utf8)
    }
    return children.joined(separator: " ").split(separator: " ").compactMap { pid_t($0) }.first
  }

  // MARK: Tests

  @Test("E9 E12 F4 F6 · an evening with real devices shows and sounds, and ends")
  func evening() async throws {
    try await withRoom { room in
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      #expect(await eventually { await state("lights", "brightness", in: room) == 10 })
      #expect(await eventually { await state("screen", "position", in: room) == "down" })
      #expect(await eventually { await state("projector", "power", in: room) == "on" })
      #expect(await state("popper", "power", in: room) == "on")
      await projector.settle()
      #expect(projector.commands.contains { $0.contains("POWR 1") })

      try await room.expect("next")
      #expect(await eventually { await position(in: room) > 59 }, "\(room.log)")
      #expect(await eventually { display.shows(Self.blue) }, "\(room.log)")
      #expect(await eventually { speakers.sound(880, not: 440) }, "\(room.log)")
      #expect(try await room.theater("next").errors.contains("this is the last chapter"))
      try await room.expect("seek", "0")
      try await expectFilm(from: 0, in: room)

      // The volume of the amplifier is that of the film, and its meter shows the film's sound.
      for (silence, sound) in [(["volume", "0"], ["volume", "50"]), (["mute"], ["unmute"])] {
        try await room.expect(["device", "amp"] + silence)
        #expect(await eventually { speakers.areSilent }, "\(silence): \(room.log)")
        try await room.expect(["device", "amp"] + sound)
        #expect(await eventually { speakers.sound(440, not: 880) }, "\(sound): \(room.log)")
      }
      let events = try await room.get("/events?levels=true", seconds: 2)
      let peaks = try events.components(separatedBy: "event: levels\ndata: ").dropFirst().map {
        try JSON(parsing: String($0.prefix { $0 != "\n" }))["peak"]?.array?.compactMap(\.number)
      }
      #expect(peaks.contains { ($0?.min() ?? -120) > -60 }, "\(events)")

      // The end of the film ends the evening.
      try await room.expect("seek", "118")
      await expectEnd(in: room)
      // Nothing went wrong, so no device has logged a warning.
      #expect(room.warnings == [])
    }
  }

  @Test("F6 · a film goes on after a crash of mpv, and without the broker and the projector")
  func losses() async throws {
    try await withRoom { room in
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      let first = try #require(try await mpv(in: room))
      let then = await position(in: room)
      kill(first, SIGKILL)
      #expect(
        await eventually {
          guard let next = try? await mpv(in: room) else { return false }
          return next != first
        }, "\(room.log)")
      try await expectFilm(from: then, in: room)
      #expect(room.log.contains("mpv ended unexpectedly; \(Self.item) goes on at"))

      try await broker.control(.kill)
      await projector.change(["odd": ["silent"]])
      #expect(
        await eventually {
          await state("lights", "brightness", "provenance", in: room) == "unknown"
        },
        "\(room.log)")
      try await expectFilm(from: await position(in: room), in: room)
      for device in ["lights", "screen", "popper", "projector"] {
        #expect(
          await eventually { room.warnings.contains { $0.contains("] \(device): ") } },
          "\(device): \(room.log)")
      }
      try await broker.control(.start)
      await projector.change(["odd": []])
      for (device, key) in [("lights", "brightness"), ("projector", "power")] {
        #expect(
          await eventually {
            await state(device, key, "provenance", in: room) == "reported"
          }, "\(device): \(room.log)")
      }
    }
  }

  @Test("F6 · a film goes on while a lamp, the screen or the popper is offline and says so")
  func absences() async throws {
    try await withRoom { room in
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      for (device, key, fixture, family, kind) in [
        ("lights", "brightness", lights, "zigbee2mqtt", "dimmer"),
        ("screen", "position", cover, "shelly", "cover"),
        ("popper", "power", plug, "tasmota", "plug"),
      ] {
        // The red chapter lasts a minute, and a busy machine needs longer for all of this.
        try await room.expect("seek", "0")
        await expect(device, key, is: "reported", in: room)
        let others = try await states(except: device, in: room)
        let before = await position(in: room)
        // Zigbee2MQTT reports the absence of the lamp, and the broker that of the other devices.
        let notice: JSON =
          family == "zigbee2mqtt"
          ? [
            "topic": .string("zigbee2mqtt/\(fixture.topic)/availability"),
            "payload": ["state": "offline"], "retain": true,
          ] : .null
        try await fixture.change(["raw": notice == .null ? [] : [notice], "leave": true])
        await expect(device, key, is: "unknown", in: room)
        let problem = try await room.device(device)?["attributes"]?["problem"]?["value"]?.string
        #expect(problem?.contains("the device is offline") == true, "\(problem ?? "none")")
        try await expectFilm(from: before, in: room)
        #expect(try await states(except: device, in: room) == others)
        let back = try MQTTFixture(broker, family, kind, ["topic": .string(fixture.topic)])
        await expect(device, key, is: "reported", in: room)
        withExtendedLifetime(back) {}
      }
    }
  }

  @Test("F1 F6 · a film goes on when the process of any plugin is killed")
  func killedPlugins() async throws {
    try await withRoom { room in
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      for (plugin, device, key) in [
        ("MQTTDevices", "lights", "brightness"), ("PJLinkProjector", "projector", "power"),
        ("ALSAAmplifier", "amp", "power"), ("MpvPlayer", "dvd", "power"),
      ] {
        try await room.expect("seek", "0")
        let process = try #require(try await room.pid(of: plugin))
        kill(process, SIGKILL)
        #expect(
          await eventually {
            guard let next = try? await room.pid(of: plugin) else { return false }
            return next != process
          }, "\(room.log)")
        await expect(device, key, is: "reported", in: room)
        try await expectFilm(from: await position(in: room), in: room)
        #expect(room.warnings.contains { $0.contains(plugin) }, "\(room.log)")
      }
    }
  }

  @Test("F6 · a film fails without its disc or its display, and its end restores the room")
  func failures() async throws {
    let folder = try TemporaryFolder()
    let image = try folder.file("discs/Night.iso")
    let original = try Self.dvd.get().path(of: Self.item)
    try FileManager.default.copyItem(atPath: original, toPath: image)
    try await withRoom(discs: folder.path(of: "discs")) { room in
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      try FileManager.default.removeItem(atPath: image)
      // mpv has read ahead, and still holds the image.
      kill(try #require(try await mpv(in: room)), SIGKILL)
      try await expectFailure("it cannot be played", in: room)
      #expect(room.log.contains("mpv ended unexpectedly"))
      // The plugin of mpv still runs.
      let log = try JSON(parsing: try await room.get("/devices/dvd/log"))
      #expect(log["plugin"] == "MpvPlayer" && log["status"] == "running", "\(log)")

      try FileManager.default.copyItem(atPath: original, toPath: image)
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      display.end()
      // `endsWithout` names the player: the controller ends the activity.
      try await expectFailure(
        "the picture cannot be shown", hasDisplay: false, isEnding: false, in: room)
      #expect(try await room.expect("status").contains("it did not play for 30 s"))
    }
  }

  @Test("F4 F6 · a film goes on unheard without the sound server, and is heard when it is back")
  func silence() async throws {
    try await withRoom { room in
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      speakers.end()
      #expect(
        await eventually { room.warnings.contains { $0.contains("] amp: NO SOUND") } },
        "\(room.log)")
      let then = await position(in: room)
      #expect(await eventually { await position(in: room) > then + 1 }, "\(room.log)")
      #expect(display.shows(Self.red))
      try await speakers.start()
      try await expectFilm(from: then + 1, in: room)
    }
  }

  @Test("F6 · each real device is swapped for a simulated one and back during a film")
  func swaps() async throws {
    try await withRoom { room in
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      #expect(await eventually { await state("screen", "position", in: room) == "down" })
      #expect(await eventually { await state("projector", "power", in: room) == "on" })
      let player = try await mpv(in: room)

      for (device, plugin, key, value) in [
        ("lights", "MQTTDevices", "brightness", 10 as JSON),
        ("screen", "MQTTDevices", "position", "down"), ("popper", "MQTTDevices", "power", "on"),
        ("projector", "PJLinkProjector", "power", "on"), ("amp", "ALSAAmplifier", "input", "dvd"),
        ("cd", "LibavPlayer", "power", "off"),
      ] {
        // The red chapter lasts a minute, and a busy machine needs longer for all of this.
        try await room.expect("seek", "0")
        for (plugin, options) in [("Simulated", ["--option", "speed=0"]), (plugin, [])] {
          let before = await position(in: room)
          let others = try await states(except: device, in: room)
          let events = try await DeviceEvents(room)
          try await room.expect(["device", "swap", device, "--plugin", plugin] + options)
          #expect(
            await eventually {
              let status = try? await room.device(device)
              return status?["availability"] == "available"
                && status?["state"]?[key]?["value"] == value
                && status?["state"]?[key]?["provenance"] == "reported"
            }, "\(device) of \(plugin) is not \(value): \(room.log)")
          #expect(await eventually { await position(in: room) > before + 1 }, "\(room.log)")
          // The state of the player and the amplifier changes with the film.
          #expect(await events.end(excluding: [device, "dvd", "amp"]) == [])
          #expect(try await states(except: device, in: room) == others)
        }
      }
      // The same mpv plays, and is heard again.
      #expect(try await mpv(in: room) == player)
      try await expectFilm(from: await position(in: room), in: room)
      await projector.settle()
      #expect(!projector.commands.contains { $0.contains("POWR 0") })
      #expect(!plug.commands.contains { $0.lowercased().hasSuffix("power off") })
      #expect(room.warnings == [])
      try await room.expect("end")
      #expect(await eventually { await state("popper", "power", in: room) == "off" })
    }
  }

  @Test("F6 · a command for a simulated lamp reaches the real one only after the swap back")
  func lamp() async throws {
    try await withRoom { room in
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      try await room.expect(
        "device", "swap", "lights", "--plugin", "Simulated", "--option", "speed=0")
      let commands = lights.commands.count
      try await room.expect("device", "lights", "dim", "40")
      #expect(lights.commands.count == commands)
      try await room.expect("device", "swap", "lights", "--plugin", "MQTTDevices")
      #expect(
        await eventually {
          await state("lights", "brightness", in: room) == 40
            && lights.commands.count > commands
        }, "\(lights.commands) \(room.log)")
      try await expectFilm(from: await position(in: room), in: room)
    }
  }

  @Test("E10 F6 · a film goes on in a simulated player that has it, and fails in one without it")
  func player() async throws {
    try await withRoom { room in
      try await room.expect("watch", Self.film, "--from-start")
      try await expectFilm(from: 0, in: room)
      let others = try await states(except: "dvd", in: room)
      let before = await position(in: room)
      let films = #"films=[{"id":"\#(Self.item)","title":"\#(Self.film)","duration":120}]"#
      try await room.expect(
        "device", "swap", "dvd", "--plugin", "Simulated", "--option", "speed=0", "--option", films)
      #expect(await eventually { !display.shows(Self.red) }, "\(room.log)")
      #expect(await eventually { await position(in: room) > before + 1 }, "\(room.log)")
      #expect(try await states(except: "dvd", in: room) == others)
      let then = await position(in: room)
      try await room.expect("device", "swap", "dvd", "--plugin", "MpvPlayer")
      try await expectFilm(from: then, in: room)
      #expect(try await states(except: "dvd", in: room) == others)

      try await room.expect("device", "swap", "dvd", "--plugin", "Simulated")
      let reason = "there is no film \"\(Self.item)\" in it"
      #expect(
        await eventually { (try? await room.expect("status"))?.contains(reason) == true },
        "\(room.log)")
      #expect(room.warnings.contains { $0.contains("could not be restored: \(reason)") })
      #expect(try await states(except: "dvd", in: room) == others)
      // The end of the film still puts everything back.
      try await room.expect("end")
      #expect(await eventually { await state("lights", "brightness", in: room) == 100 })
      #expect(await eventually { await state("projector", "power", in: room) == "off" })
    }
  }
}

/// A PulseAudio sink whose sound is recorded.
private final class Speakers: Sendable {
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
  fileprivate var warnings: [String] {
    log.split(separator: "\n").map(String.init).filter {
      $0.contains(" warning ") || $0.contains(" error ")
    }
  }
}
