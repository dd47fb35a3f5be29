import Foundation
import JSON
import TestSupport
import Testing

/// What the commands that begin, control and end what is on say.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StartAndEndTests {
  @Test("E2 E20 · at a terminal a start says getting ready and an end shutting down, with the step")
  func progress() async throws {
    try await withLiveController(arrange: { configuration, _ in
      configuration.set("options", at: ["devices", "projector"], ["warmUp": 2])
      // Each of its answers is late.
      configuration.set("options", at: ["devices", "dvd"], ["speed": 0, "faults": ["slow": 2]])
    }) { room in
      try await room.registerOwner()
      try await room.atTerminal("watch", "Night Ferry", "--from-start") { terminal in
        await terminal.expect("Getting ready: projector on…")
        await terminal.expect("✓ projector on")
        await terminal.expect("✓ dvd play")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains("Shutting down"))
      }
      try await room.atTerminal("stop") { terminal in
        await terminal.expect("Shutting down: dvd stop…")
        await terminal.expect("✓ dvd off")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains("Getting ready"))
      }
    }
  }

  @Test("--resume of a film that was never stopped says that it plays from its start")
  func nothingToResume() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let sentence = "no position of it is kept; it plays from its start\n"
      #expect(try await room.expect("watch", "Paper Moons", "--resume").hasPrefix(sentence))
      #expect(try await room.expect("previous").hasPrefix("previous chapter"))
      try await room.expect("stop")
      #expect(try await !room.expect("watch", "The Long Hall").contains("no position"))
      try await room.expect("stop")
      let scene = ["scene", "run", "movie-night", "--film", "The Long Hall", "--resume"]
      #expect(try await room.expect(scene).hasPrefix(sentence))
      #expect(try await !room.expect("scene", "run", "popcorn", "--resume").contains("position"))
    }
  }

  @Test("stop after a scene without an end scene names the devices that stay on")
  func devicesLeftOn() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      try await room.expect("scene", "run", "movie-night", "--film", "The Long Hall")
      let stop = try await room.expect("stop")
      let hint = try #require(stop.split(separator: "\n").last.map(String.init))
      #expect(hint.contains(" stay on; to turn everything off: "), "\(stop)")
      for device in ["lights", "screen", "projector", "amp", "dvd"] {
        #expect(hint.contains(device), "\(stop)")
      }
      #expect(!hint.contains("popper") && !hint.contains("tuner"), "\(stop)")
      try await room.expect("off")
      // An activity has an end scene, which leaves on what it wants.
      try await room.expect("watch", "The Long Hall", "--from-start")
      #expect(try await !room.expect("stop").contains("stay on"))
    }
  }

  @Test("activities and rooms are listed with what is on in them")
  func lists() async throws {
    try await withLiveController(arrange: { configuration, _ in
      configuration = try Configuration(theater: "house")
    }) { room in
      try await room.registerOwner()
      try await room.expect("watch", "Harbour Lights", "--activity", "cinema")
      let activities = try await room.expect("activities").split(separator: "\n").map { line in
        line.split(separator: " ").joined(separator: " ")
      }
      #expect(
        activities == [
          "cinema Großes Kino Lounge films on", "uhd 4K night Lounge films",
          "spin Put a record on Lounge songs", "gaming Gaming Lounge",
          "kitchen-radio Kitchen radio Kitchen stations",
          "kitchen-music Kitchen music Kitchen songs",
        ], "\(activities)")
      let rooms = try await room.expect("rooms")
      #expect(
        rooms == """
          lounge   Lounge   Großes Kino: Harbour Lights (running)
          kitchen  Kitchen  nothing is on

          """)
      #expect(try await room.json("rooms")["rooms"]?.array?.count == 2)
      #expect(try await room.json("activities")["activities"]?.array?.count == 6)
    }
  }
}
