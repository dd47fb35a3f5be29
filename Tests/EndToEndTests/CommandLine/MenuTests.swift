import Foundation
import JSON
import TestSupport
import Testing

/// The main menu that `theater` alone shows at a terminal.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MenuTests {
  private static let prompt = "A number (Enter: look again, q: leave): "

  @Test("A13 E8 E11 · theater alone greets, begins and ends what the person chooses, and logs out")
  func shipped() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      try await room.atTerminal { terminal in
        await terminal.expect("Hello, Ann.")
        await terminal.expect("Nothing is on.")
        for entry in [
          "1  Watch a film", "2  Listen to music", "3  Listen to the radio", "4  Popcorn",
          "5  Log out",
        ] { await terminal.expect(entry) }
        await terminal.expect(Self.prompt)
        terminal.type("9\r")
        await terminal.expect("Type a number from 1 to 5, or q.")
        terminal.type("4\r")
        await terminal.expect("popper pop")
        await terminal.expect(Self.prompt)
        terminal.type("3\r")
        await terminal.expect("98.5 FM")
        await terminal.expect("b: back, q: leave)")
        terminal.type("b\r")
        await terminal.expect(Self.prompt)
        terminal.type("1\r")
        await terminal.expect("1  Night Ferry")
        await terminal.expect("b: back, q: leave): ")
        terminal.type("moons\r")
        await terminal.expect("1  Paper Moons")
        await terminal.expect("b: back, q: leave): ")
        terminal.type("1\r")
        await terminal.expect("dvd play paper-moons")
        await terminal.expect("Watch a film: Paper Moons (running)")
        await terminal.expect("1  Pause")
        await terminal.expect("4  Stop")
        await terminal.expect(Self.prompt)
        terminal.type("1\r")
        await terminal.expect("paused")
        await terminal.expect("1  Resume")
        await terminal.expect(Self.prompt)
        terminal.type("2\r")
        await terminal.expect("volume 55 %")
        await terminal.expect(Self.prompt)
        terminal.type("4\r")
        await terminal.expect("dvd stop")
        await terminal.expect("Nothing is on.")
        await terminal.expect(Self.prompt)
        terminal.type("5\r")
        await terminal.expect("You are logged out.")
        await terminal.expect("[ended 0] icanon echo")
      }
      #expect(try await room.theater("status").status == 4)
      // Without a login it is the help.
      try await room.atTerminal { terminal in
        await terminal.expect("USAGE: theater")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains("Hello"))
      }
    }
  }

  @Test("E8 · without a terminal theater alone shows the help, and q and Ctrl-D leave the menu")
  func leaving() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let piped = try await room.theater()
      #expect(piped.status == 0 && piped.output.contains("USAGE: theater"), "\(piped.output)")
      for key in ["q\r", "\u{4}"] {
        try await room.atTerminal { terminal in
          await terminal.expect(Self.prompt)
          terminal.type("\r")
          await terminal.expect("1  Watch a film")
          await terminal.expect(Self.prompt)
          terminal.type(key)
          await terminal.expect("[ended 0] icanon echo")
        }
        try await room.atTerminal { terminal in
          await terminal.expect(Self.prompt)
          terminal.type("1\r")
          await terminal.expect("b: back, q: leave): ")
          terminal.type(key)
          await terminal.expect("[ended 0] icanon echo")
        }
      }
      let environment = room.environment.merging(["TERM": "xterm"]) { $1 }
        .filter { $0.key != "NO_COLOR" }
      let colourful = try Terminal(
        Program.products.appendingPathComponent("theater"), [], environment: environment)
      defer { colourful.close() }
      await colourful.expect("\u{1B}[1mNothing is on.\u{1B}[0m")
      await colourful.expect(Self.prompt)
      colourful.type("q\r")
      await colourful.expect("[ended 0] icanon echo")

      await room.crash()
      try await room.atTerminal {
        await $0.expect("theater serve")
        await $0.expect("[ended 3] icanon echo")
      }
    }
  }

  @Test("A13 E8 E23 · in a house of one's own the menu has its activities, rooms and positions")
  func house() async throws {
    try await withLiveController(arrange: { configuration, _ in
      configuration = try Configuration(theater: "house")
    }) { room in
      try await room.registerOwner()
      try await room.expect("watch", "Harbour Lights", "--activity", "cinema")
      try await room.expect("pause")
      try await room.expect("seek", "1:00")
      try await room.expect("stop")
      try await room.atTerminal { terminal in
        await terminal.expect("Lounge: nothing is on.")
        await terminal.expect("Kitchen: nothing is on.")
        for (number, entry) in [
          "Großes Kino", "4K night", "Put a record on", "Gaming", "Kitchen radio", "Kitchen music",
          "Log out",
        ].enumerated() { await terminal.expect("\(number + 1)  \(entry)") }
        #expect(!terminal.text.contains("opcorn"))
        await terminal.expect(Self.prompt)
        // An activity without a player takes no item.
        terminal.type("4\r")
        await terminal.expect("lounge-amp input hdmi2")
        await terminal.expect("Lounge: Gaming (running)")
        await terminal.expect("3  Stop")
        await terminal.expect(Self.prompt)
        terminal.type("3\r")
        await terminal.expect("beamer off")
        await terminal.expect(Self.prompt)
        // The list has the films of this activity's player alone.
        terminal.type("2\r")
        await terminal.expect("1  Dunes")
        await terminal.expect("b: back, q: leave): ")
        #expect(!terminal.text.contains("Harbour Lights"))
        terminal.type("b\r")
        await terminal.expect(Self.prompt)
        terminal.type("1\r")
        await terminal.expect("stopped at 1:00")
        await terminal.expect("b: back, q: leave): ")
        terminal.type("1\r")
        await terminal.expect("at 1:00 of 2:00.")
        await terminal.expect("s to begin at the start: ")
        terminal.type("\r")
        await terminal.expect("going on at 1:00")
        await terminal.expect("bluray play f1 at 1:00")
        await terminal.expect("Lounge: Großes Kino: Harbour Lights (running)")
        await terminal.expect(Self.prompt)
        terminal.type("q\r")
        await terminal.expect("[ended 0] icanon echo")
      }
      #expect(await room.activity(in: "lounge")?["activity"] == "cinema")
    }
  }
}
