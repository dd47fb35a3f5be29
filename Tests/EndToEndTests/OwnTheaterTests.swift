import Foundation
import JSON
import TestSupport
import Testing

/// Theaters that are not the shipped one: `Tests/Fixtures/Theaters`.
@Suite("Theaters of one's own", .timeLimit(.minutes(3)))
struct OwnTheaterTests {
  @Test("a house with two rooms tells what a page needs, and plays a film in one of them")
  func house() async throws {
    try await withLiveController(arrange: { configuration, _ in
      configuration = try Configuration(theater: "house")
    }) { room in
      try await room.registerOwner()
      let rooms = try #require(try await room.state("/rooms")["rooms"]?.array)
      #expect(rooms.map { $0["title"] } == ["Lounge", "Kitchen"])
      #expect(rooms.last?["activities"] == ["kitchen-radio", "kitchen-music"])
      let activities = try #require(try await room.state("/activities")["activities"]?.array)
      #expect(
        activities.map { $0["room"]?.string } == (1...4).map { _ in "lounge" } + [
          "kitchen", "kitchen",
        ])
      let gaming = try #require(activities.first { $0["name"] == "gaming" })
      #expect(gaming["amplifier"] == "lounge-amp" && gaming["player"] == nil)
      #expect(gaming["start"] == "gaming" && gaming["end"] == "gaming-over")
      let devices = try #require(try await room.state("/devices")["devices"]?.array)
      #expect(
        devices.prefix(3).map { $0["title"] } == ["Lounge receiver", "Kitchen speakers", "Blu-ray"])
      #expect(
        devices.first?["inputs"]?.array?.map { $0["source"]?.string ?? "-" }
          == ["bluray", "ultra", "deck", "-", "-", "-"])
      let scenes = try #require(try await room.state("/scenes")["scenes"]?.array)
      #expect(scenes.count == 37 && scenes.first?["icon"] == "film")

      try await room.post("/activities/cinema", ["item": "Harbour Lights"])
      try await room.waitForActivity("running", in: "lounge")
      #expect(await room.activity(in: "lounge")?["itemTitle"] == "Harbour Lights")
      #expect(await room.activity(in: "kitchen")?["status"] == "idle")
      let lamps = ["ceiling", "floor-lamp", "wall-left", "wall-right", "cove"]
      for lamp in lamps {
        #expect(try await room.device(lamp)?["state"]?["brightness"]?["value"] == 5)
      }
      #expect(try await room.device("bar")?["state"]?["brightness"]?["value"] != 5)
      try await room.post("/end")
      try await room.waitForActivity("idle", in: "lounge")
    }
  }

  @Test("a theater of a lamp and a projector begins and ends its activity")
  func minimal() async throws {
    try await withLiveController(arrange: { configuration, _ in
      configuration = try Configuration(theater: "minimal")
    }) { room in
      try await room.registerOwner()
      let rooms = try #require(try await room.state("/rooms")["rooms"]?.array)
      #expect(rooms.map { $0["devices"] } == [["lamp", "beamer"]])
      let name = try #require(rooms.first?["name"]?.string)
      try await room.post("/activities/slides")
      try await room.waitForActivity("running", in: name)
      #expect(try await room.device("lamp")?["state"]?["brightness"]?["value"] == 20)
      try await room.post("/end")
      try await room.waitForActivity("idle", in: name)
      #expect(try await room.device("beamer")?["state"]?["power"]?["value"] == "off")
    }
  }

  @Test("the terminal runs the activity of a theater without an amplifier")
  func minimalAtTheTerminal() async throws {
    try await withLiveController(arrange: { configuration, _ in
      configuration = try Configuration(theater: "minimal")
    }) { room in
      try await room.registerOwner()
      try await room.expect("scene", "run", "slides")
      let running = try await room.expect("status")
      #expect(running.hasPrefix("Slides (running)\n"), "\(running)")
      let refused = try await room.theater("volume", "20")
      #expect(refused.status == 1)
      #expect(refused.errors.contains("there is no amplifier"), "\(refused.errors)")
      let end = try await room.expect("stop")
      #expect(end.contains("beamer off"), "\(end)")
      let idle = try await room.expect("status")
      #expect(idle.hasPrefix("Nothing is on.\n"), "\(idle)")
      #expect(try await room.device("lamp")?["state"]?["power"]?["value"] == "on")
      let off = try await room.expect("off")
      #expect(off.contains("lamp off"), "\(off)")
      for device in ["lamp", "beamer"] {
        #expect(await eventually { await room.value("power", of: device) == "off" })
      }
    }
  }

  @Test("a file with reserved names starts after an upgrade of its names")
  func upgrade() async throws {
    let folder = try TemporaryFolder()
    let text = """
      {"devices": {"player": {"role": "dvdPlayer", "plugin": "Simulated"}, "note": "mine"},
       "scenes": {"on": {"steps": [{"player": "on"}]}}}
      """
    let file = try folder.write("devices.json", Array(text.utf8))
    let program = Program.products.appendingPathComponent("theater")
    func theater(_ words: String...) async throws -> Program.Outcome {
      try await Program.run(
        program, words, environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"])
    }
    let check = try await theater("config", "check", file)
    #expect(check.status == 1 && check.output.contains("$.scenes.on.steps[0].player"))
    let dryRun = try await theater("config", "upgrade", file, "--dry-run")
    #expect(dryRun.output.contains("device player → my-player"), "\(dryRun.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    #expect(try await theater("config", "upgrade", file).status == 0)
    #expect(
      try String(contentsOfFile: file, encoding: .utf8)
        == text.replacingOccurrences(of: "\"player\"", with: "\"my-player\""))
    #expect(try await theater("config", "check", file).status == 0)
  }
}
