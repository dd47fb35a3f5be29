import Foundation
import JSON
import Platform
import PluginTestSupport
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)), RealTheater.isInstalled)
struct RealDevicesTests {
  private let real: RealTheater

  init() async throws { real = try await RealTheater() }

  @Test("E9 E12 F4 F6 · an evening with real devices shows and sounds, and ends")
  func evening() async throws {
    try await real.withRoom { room in
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
      #expect(await eventually { await real.state("lights", "brightness", in: room) == 10 })
      #expect(await eventually { await real.state("screen", "position", in: room) == "down" })
      #expect(await eventually { await real.state("projector", "power", in: room) == "on" })
      #expect(await real.state("popper", "power", in: room) == "on")
      try await real.projector.settle()
      #expect(real.projector.commands.contains { $0.contains("POWR 1") })

      try await room.expect("next")
      #expect(await eventually { await real.position(in: room) > 59 }, "\(room.log)")
      #expect(await eventually { real.display.shows(RealTheater.blue) }, "\(room.log)")
      #expect(await eventually { real.speakers.sound(880, not: 440) }, "\(room.log)")
      #expect(try await room.theater("next").errors.contains("this is the last chapter"))
      try await room.expect("seek", "0")
      try await real.expectFilm(from: 0, in: room)

      // The volume of the amplifier is that of the film, and its meter shows the film's sound.
      for (silence, sound) in [(["volume", "0"], ["volume", "50"]), (["mute"], ["unmute"])] {
        try await room.expect(["device", "amp"] + silence)
        #expect(await eventually { real.speakers.areSilent }, "\(silence): \(room.log)")
        try await room.expect(["device", "amp"] + sound)
        #expect(await eventually { real.speakers.sound(440, not: 880) }, "\(sound): \(room.log)")
      }
      let events = try await room.get("/events?levels=true", seconds: 2)
      let peaks = try events.components(separatedBy: "event: levels\ndata: ").dropFirst().map {
        try JSON(parsing: String($0.prefix { $0 != "\n" }))["peak"]?.array?.compactMap(\.number)
      }
      #expect(peaks.contains { ($0?.min() ?? -120) > -60 }, "\(events)")

      // The end of the film ends the evening.
      try await room.expect("seek", "118")
      await real.expectEnd(in: room)
      // Nothing went wrong, so no device has logged a warning.
      #expect(room.warnings == [])
    }
  }

  @Test("F6 · a film goes on after a crash of mpv, and without the broker and the projector")
  func losses() async throws {
    try await real.withRoom { room in
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
      let first = try #require(try await real.mpv(in: room))
      let then = await real.position(in: room)
      kill(first, SIGKILL)
      #expect(
        await eventually {
          guard let next = try? await real.mpv(in: room) else { return false }
          return next != first
        }, "\(room.log)")
      try await real.expectFilm(from: then, in: room)
      #expect(room.log.contains("mpv ended unexpectedly; \(RealTheater.item) goes on at"))

      try await real.broker.control(.kill)
      try await real.projector.change(["odd": ["silent"]])
      #expect(
        await eventually {
          await real.state("lights", "brightness", "provenance", in: room) == "unknown"
        },
        "\(room.log)")
      try await real.expectFilm(from: await real.position(in: room), in: room)
      for device in ["lights", "screen", "popper", "projector"] {
        #expect(
          await eventually { room.warnings.contains { $0.contains("] \(device): ") } },
          "\(device): \(room.log)")
      }
      try await real.broker.control(.start)
      try await real.projector.change(["odd": []])
      for (device, key) in [("lights", "brightness"), ("projector", "power")] {
        #expect(
          await eventually {
            await real.state(device, key, "provenance", in: room) == "reported"
          }, "\(device): \(room.log)")
      }
    }
  }

  @Test("F6 · a film goes on while a lamp, the screen or the popper is offline and says so")
  func absences() async throws {
    try await real.withRoom { room in
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
      for (device, key, fixture, family, kind) in [
        ("lights", "brightness", real.lights, "zigbee2mqtt", "dimmer"),
        ("screen", "position", real.cover, "shelly", "cover"),
        ("popper", "power", real.plug, "tasmota", "plug"),
      ] {
        // The red chapter lasts a minute, and a busy machine needs longer for all of this.
        try await room.expect("seek", "0")
        await real.expect(device, key, is: "reported", in: room)
        let others = try await real.states(except: device, in: room)
        let before = await real.position(in: room)
        // Zigbee2MQTT reports the absence of the lamp, and the broker that of the other devices.
        let notice: JSON =
          family == "zigbee2mqtt"
          ? [
            "topic": .string("zigbee2mqtt/\(fixture.topic)/availability"),
            "payload": ["state": "offline"], "retain": true,
          ] : .null
        try await fixture.change(["raw": notice == .null ? [] : [notice], "leave": true])
        await real.expect(device, key, is: "unknown", in: room)
        let problem = try await room.device(device)?["attributes"]?["problem"]?["value"]?.string
        #expect(problem?.contains("the device is offline") == true, "\(problem ?? "none")")
        try await real.expectFilm(from: before, in: room)
        #expect(try await real.states(except: device, in: room) == others)
        let back = try MQTTFixture(real.broker, family, kind, ["topic": .string(fixture.topic)])
        await real.expect(device, key, is: "reported", in: room)
        withExtendedLifetime(back) {}
      }
    }
  }

  @Test("F1 F6 · a film goes on when the process of any plugin is killed")
  func killedPlugins() async throws {
    try await real.withRoom { room in
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
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
        await real.expect(device, key, is: "reported", in: room)
        try await real.expectFilm(from: await real.position(in: room), in: room)
        #expect(room.warnings.contains { $0.contains(plugin) }, "\(room.log)")
      }
    }
  }
}
