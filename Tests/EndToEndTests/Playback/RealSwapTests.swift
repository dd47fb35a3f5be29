import Foundation
import JSON
import Platform
import PluginTestSupport
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)), RealTheater.isInstalled)
struct RealSwapTests {
  private let real: RealTheater

  init() async throws { real = try await RealTheater() }

  @Test("F6 · each real device is swapped for a simulated one and back during a film")
  func swaps() async throws {
    try await real.withRoom { room in
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
      #expect(await eventually { await real.state("screen", "position", in: room) == "down" })
      #expect(await eventually { await real.state("projector", "power", in: room) == "on" })
      let player = try await real.mpv(in: room)

      for (device, plugin, key, value) in [
        ("lights", "MQTTDevices", "brightness", 10 as JSON),
        ("screen", "MQTTDevices", "position", "down"), ("popper", "MQTTDevices", "power", "on"),
        ("projector", "PJLinkProjector", "power", "on"), ("amp", "ALSAAmplifier", "input", "dvd"),
        ("cd", "LibavPlayer", "power", "off"),
      ] {
        // The red chapter lasts a minute, and a busy machine needs longer for all of this.
        try await room.expect("seek", "0")
        for (plugin, options) in [("Simulated", ["--option", "speed=0"]), (plugin, [])] {
          let before = await real.position(in: room)
          let others = try await real.states(except: device, in: room)
          let events = try await DeviceEvents(room)
          try await room.expect(["device", "swap", device, "--plugin", plugin] + options)
          #expect(
            await eventually {
              let status = try? await room.device(device)
              return status?["availability"] == "available"
                && status?["state"]?[key]?["value"] == value
                && status?["state"]?[key]?["provenance"] == "reported"
            }, "\(device) of \(plugin) is not \(value): \(room.log)")
          #expect(await eventually { await real.position(in: room) > before + 1 }, "\(room.log)")
          // The state of the player and the amplifier changes with the film.
          #expect(await events.end(excluding: [device, "dvd", "amp"]) == [])
          #expect(try await real.states(except: device, in: room) == others)
        }
      }
      // The same mpv plays, and is heard again.
      #expect(try await real.mpv(in: room) == player)
      try await real.expectFilm(from: await real.position(in: room), in: room)
      try await real.projector.settle()
      #expect(!real.projector.commands.contains { $0.contains("POWR 0") })
      #expect(!real.plug.commands.contains { $0.lowercased().hasSuffix("power off") })
      #expect(room.warnings == [])
      try await room.expect("end")
      #expect(await eventually { await real.state("popper", "power", in: room) == "off" })
    }
  }

  @Test("F6 · a command for a simulated lamp reaches the real one only after the swap back")
  func lamp() async throws {
    try await real.withRoom { room in
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
      try await room.expect(
        "device", "swap", "lights", "--plugin", "Simulated", "--option", "speed=0")
      let commands = real.lights.commands.count
      try await room.expect("device", "lights", "dim", "40")
      #expect(real.lights.commands.count == commands)
      try await room.expect("device", "swap", "lights", "--plugin", "MQTTDevices")
      #expect(
        await eventually {
          await real.state("lights", "brightness", in: room) == 40
            && real.lights.commands.count > commands
        }, "\(real.lights.commands) \(room.log)")
      try await real.expectFilm(from: await real.position(in: room), in: room)
    }
  }

  @Test("E10 F6 · a film goes on in a simulated player that has it, and fails in one without it")
  func player() async throws {
    try await real.withRoom { room in
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
      let others = try await real.states(except: "dvd", in: room)
      let before = await real.position(in: room)
      let films =
        #"films=[{"id":"\#(RealTheater.item)","title":"\#(RealTheater.film)","duration":120}]"#
      try await room.expect(
        "device", "swap", "dvd", "--plugin", "Simulated", "--option", "speed=0", "--option", films)
      #expect(await eventually { !real.display.shows(RealTheater.red) }, "\(room.log)")
      #expect(await eventually { await real.position(in: room) > before + 1 }, "\(room.log)")
      #expect(try await real.states(except: "dvd", in: room) == others)
      let then = await real.position(in: room)
      try await room.expect("device", "swap", "dvd", "--plugin", "MpvPlayer")
      try await real.expectFilm(from: then, in: room)
      #expect(try await real.states(except: "dvd", in: room) == others)

      try await room.expect("device", "swap", "dvd", "--plugin", "Simulated")
      let reason = "there is no film \"\(RealTheater.item)\" in it"
      #expect(
        await eventually { (try? await room.expect("status"))?.contains(reason) == true },
        "\(room.log)")
      #expect(room.warnings.contains { $0.contains("could not be restored: \(reason)") })
      #expect(try await real.states(except: "dvd", in: room) == others)
      // The end of the film still puts everything back.
      try await room.expect("end")
      #expect(await eventually { await real.state("lights", "brightness", in: room) == 100 })
      #expect(await eventually { await real.state("projector", "power", in: room) == "off" })
    }
  }
}
