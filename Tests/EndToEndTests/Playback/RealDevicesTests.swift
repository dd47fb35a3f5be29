import Foundation
import JSON
import PluginTestSupport
import TestSupport
import Testing

/// An evening with the devices of docs/devices.real.json: mpv on an X display, a sound card that records, lights,
/// screen and popper behind mosquitto, and a projector that asks for a password.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RealDevicesTests {
  private let display: VirtualScreen
  private let broker: BrokerFixture
  private let lights, cover, plug: MQTTFixture
  private let projector: ProjectorFixture
  private static let password = "a word for the projector"
  private static let red = VirtualScreen.Color(red: 255, green: 0, blue: 0)

  init() async throws {
    display = try VirtualScreen()
    broker = try BrokerFixture()
    lights = try MQTTFixture(broker, "zigbee2mqtt", "dimmer")
    cover = try MQTTFixture(broker, "shelly", "cover", ["position": 100])
    plug = try MQTTFixture(broker, "tasmota", "plug")
    projector = try await ProjectorFixture([
      "password": .string(Self.password), "authentication": "sha256",
    ])
  }

  /// Runs `body` with a controller on the devices, and with a red film of a minute that sounds at 440 Hz.
  private func withRoom(_ body: (LiveController) async throws -> Void) async throws {
    defer { display.end() }
    try await withLiveController(arrange: { (configuration, folder) in
      let films = folder.appendingPathComponent("films")
      try FileManager.default.createDirectory(at: films, withIntermediateDirectories: true)
      try TestFilms.ffmpeg([
        "-f", "lavfi", "-i", "color=red:s=160x90:r=25:d=60", "-f", "lavfi", "-i",
        "sine=440:r=48000:d=60", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
        "-g", "25", "-c:a", "flac", films.appendingPathComponent("Night Ferry.mkv").path,
      ])
      configuration = Configuration(
        music: folder.appendingPathComponent("music").path, of: "docs/devices.real.json")
      func set(_ device: String, _ option: String, _ value: JSON) {
        configuration.set(option, at: ["devices", device, "options"], value)
      }
      set("dvd", "folders", [.string(films.path)])
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
      set("screen", "travel", 1)
      set("lights", "fade", 0)
    }) { room in
      try await room.moveIn()
      #expect(
        await eventually { await room.titles("films").contains("Night Ferry") }, "\(room.log)")
      try await body(room)
    }
  }

  /// A value of a device's state, or where it comes from: `provenance`.
  private func state(
    _ device: String, _ key: String, _ part: String = "value", in room: LiveController
  ) async -> JSON? {
    let status = try? await room.device(device)
    return status?["state"]?[key]?[part]
  }

  private func playback(in room: LiveController) async -> JSON? {
    try? await room.json("status")["playback"]
  }

  private func position(in room: LiveController) async -> Double {
    await playback(in: room)?["position"]?.number ?? -1
  }

  /// The process of mpv, the only child of its plugin. The system keeps the children of each thread.
  private func mpv(in room: LiveController) async throws -> pid_t? {
    let threads = "/proc/\(try #require(try await room.pid(of: "MpvPlayer")))/task"
    let names = try FileManager.default.contentsOfDirectory(atPath: threads)
    let children = names.compactMap {
      try? String(contentsOfFile: "\(threads)/\($0)/children", encoding: .utf8)
    }
    return children.joined(separator: " ").split(separator: " ").compactMap { pid_t($0) }.first
  }

  @Test("E9 E12 F4 F6 · an evening with real devices shows and sounds, and ends")
  func evening() async throws {
    try await withRoom { room in
      try await room.expect("watch", "Night Ferry", "--from-start")
      #expect(await eventually { display.shows(Self.red) }, "\(room.log)")
      #expect(
        await eventually { (room.newestRecording?.sounding(0).count ?? 0) > 48_000 },
        "nothing sounds: \(room.log)")
      let heard = try #require(room.newestRecording)
      #expect(heard.amplitude(of: 440, in: 0) > 10 * heard.amplitude(of: 660, in: 0))
      #expect(await eventually { await state("lights", "brightness", in: room) == 10 })
      #expect(await eventually { await state("screen", "position", in: room) == "down" })
      #expect(await eventually { await state("projector", "power", in: room) == "on" })
      #expect(await state("popper", "power", in: room) == "on")
      #expect(projector.commands.contains { $0.contains("POWR 1") })

      try await room.expect("end")
      #expect(await eventually { !display.shows(Self.red) })
      #expect(await eventually { await state("screen", "position", in: room) == "up" })
      #expect(await eventually { await state("projector", "power", in: room) == "off" })
      #expect(await eventually { await state("lights", "brightness", in: room) == 100 })
      #expect(await eventually { await state("popper", "power", in: room) == "off" })
    }
  }

  @Test("E9 F6 · a film goes on without mpv's crash, without the broker, and without the projector")
  func losses() async throws {
    try await withRoom { room in
      try await room.expect("watch", "Night Ferry", "--from-start")
      #expect(await eventually { await position(in: room) > 1 })
      let first = try #require(try await mpv(in: room))
      kill(first, SIGKILL)
      #expect(
        await eventually {
          guard let next = try? await mpv(in: room) else { return false }
          return next != first
        }, "\(room.log)")
      let then = await position(in: room)
      #expect(then >= 1)
      #expect(await eventually { await position(in: room) > then + 1 })
      #expect(await eventually { display.shows(Self.red) })

      try await broker.control(.kill)
      await projector.change(["odd": ["silent"]])
      #expect(
        await eventually {
          await state("lights", "brightness", "provenance", in: room) == "unknown"
        },
        "\(room.log)")
      let before = await position(in: room)
      #expect(await eventually { await position(in: room) > before + 1 })
      #expect(display.shows(Self.red))
      try await broker.control(.start)
      #expect(
        await eventually {
          await state("lights", "brightness", "provenance", in: room) == "reported"
        }, "\(room.log)")
    }
  }
}
