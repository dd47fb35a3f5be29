import Foundation
import JSON
import TestSupport
import Testing

/// Where people stopped films and songs, in the terminal.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ResumeTests {
  private static let question = "s to begin at the start: "

  /// Plays an item up to a position, and stops it there.
  private static func stop(
    at position: String, _ words: String..., in room: LiveController
  ) async throws {
    try await room.expect(words + ["--from-start"])
    try await room.expect("pause")
    try await room.expect("seek", position)
    try await room.expect("stop")
  }

  /// Registers and logs in a second person.
  private static func logInAsBob(_ room: LiveController) async throws {
    let code = try #require(try await room.json("invite")["code"]?.string)
    try await room.expect("logout")
    try await room.expect(
      "register", "--invitation", code, "--name", "Bob", "--email", "bob@example.org",
      "--password-stdin", input: room.password + "\n")
    try await logIn("bob", room)
  }

  private static func logIn(_ name: String, _ room: LiveController) async throws {
    try await room.expect(
      "login", "--email", "\(name)@example.org", "--password-stdin", input: room.password + "\n")
  }

  @Test("E10 E23 · a film is listed and offered where each person stopped it, after a restart too")
  func film() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      try await Self.stop(at: "1:00", "watch", "Night Ferry", in: room)
      #expect(try await room.expect("films").contains("2:00  stopped at 1:00  dvd"))

      // Another person has stopped nothing, and is asked nothing.
      try await Self.logInAsBob(room)
      #expect(try await room.expect("films").contains("stopped") == false)
      try await room.atTerminal("watch", "Night Ferry") { terminal in
        await terminal.expect("dvd play night-ferry")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains("You stopped") && !terminal.text.contains("going on"))
      }
      try await room.expect("stop")
      try await room.expect("logout")
      try await Self.logIn("ann", room)

      await room.close()
      try room.start()
      try await room.waitForDevices()
      #expect(try await room.expect("films").contains("stopped at 1:00"))
      try await room.atTerminal("watch", "ferry") { terminal in
        await terminal.expect("You stopped Night Ferry at 1:00 of 2:00.")
        await terminal.expect(Self.question)
        terminal.type("x\r")
        await terminal.expect(Self.question)
        terminal.type("\r")
        await terminal.expect("going on at 1:00")
        await terminal.expect("dvd play night-ferry at 1:00")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains("--from-start"))
      }
      // Ctrl-D starts nothing.
      try await Self.stop(at: "1:00", "watch", "Night Ferry", in: room)
      try await room.atTerminal("watch", "ferry") { terminal in
        await terminal.expect(Self.question)
        terminal.type("\u{4}")
        await terminal.expect("cancelled: nothing was changed")
        await terminal.expect("[ended 1] icanon echo")
      }
      #expect(try await room.state("/status")["activity"]?["status"] == "idle")
      try await room.atTerminal("watch", "ferry") { terminal in
        await terminal.expect(Self.question)
        terminal.type("s\r")
        await terminal.expect("dvd play night-ferry")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains("going on") && !terminal.text.contains("night-ferry at"))
      }
    }
  }

  @Test("E23 · options answer before the question, and without a terminal a start resumes")
  func options() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      try await Self.stop(at: "1:00", "watch", "Night Ferry", in: room)
      for (option, outcome) in [
        ("--resume", "dvd play night-ferry at 1:00"), ("--from-start", "dvd play night-ferry"),
        ("--json", "\"position\": 60"),
      ] {
        try await room.atTerminal("watch", "Night Ferry", option) { terminal in
          await terminal.expect(outcome)
          await terminal.expect("[ended 0] icanon echo")
          #expect(!terminal.text.contains("You stopped"), "\(option)")
          #expect(terminal.text.contains("at 1:00") == (option == "--resume"), "\(option)")
        }
        try await Self.stop(at: "1:00", "watch", "Night Ferry", in: room)
      }
      let piped = try await room.expect("watch", "Night Ferry")
      #expect(piped.contains("going on at 1:00 (--from-start plays from the beginning)"))
      try await room.expect("stop")
      let both = try await room.theater("watch", "Night Ferry", "--resume", "--from-start")
      #expect(both.status == 2)
      #expect(both.errors.contains("Give either --resume or --from-start"), "\(both.errors)")
    }
  }

  @Test("E23 · a scene run by hand asks and resumes as its activity does, and its plan says so")
  func scene() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      try await Self.stop(at: "1:00", "watch", "Night Ferry", in: room)
      let play = "dvd play night-ferry at 1:00"
      for scene in ["watch-film", "movie-night"] {
        let words = [scene, "--film", "Night Ferry"]
        #expect(try await room.expect(["scene", "plan"] + words).contains(play))
        let beginning = try await room.expect(["scene", "plan"] + words + ["--from-start"])
        #expect(!beginning.contains(play), "\(beginning)")
        try await room.atTerminal("scene", "run", scene, "--film", "Night Ferry") { terminal in
          await terminal.expect("You stopped it at 1:00.")
          await terminal.expect(Self.question)
          terminal.type("\r")
          await terminal.expect("going on at 1:00")
          await terminal.expect(play)
          await terminal.expect("[ended 0] icanon echo")
        }
        try await Self.stop(at: "1:00", "watch", "Night Ferry", in: room)
        let piped = try await room.expect(["scene", "run"] + words)
        #expect(piped.contains("going on at 1:00") && piped.contains(play), "\(piped)")
        try await Self.stop(at: "1:00", "watch", "Night Ferry", in: room)
      }
      // A scene that plays nothing asks nothing.
      try await room.atTerminal("scene", "run", "popcorn") { terminal in
        await terminal.expect("popper pop")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains("You stopped"))
      }
    }
  }

  @Test("E10 E23 · in a house of one's own a song of an audio book is listed and offered")
  func song() async throws {
    try await withLiveController(arrange: { configuration, folder in
      configuration = try Configuration(theater: "house")
      let music = folder.appendingPathComponent("music")
      try FileManager.default.createDirectory(
        at: music.appendingPathComponent("audiobook"), withIntermediateDirectories: true)
      configuration.set("folders", at: ["devices", "kitchen-cd", "options"], [.string(music.path)])
    }) { room in
      try await room.makeTone("audiobook/Chapter One.flac", seconds: 120, left: 440)
      try await room.registerOwner()
      try await room.expect("library", "scan")
      try await room.expect("listen", "Chapter One", "--activity", "kitchen-music")
      try await room.expect("pause", "--room", "kitchen")
      try await room.expect("seek", "1:00", "--room", "kitchen")
      try await room.expect("stop", "--room", "kitchen")
      #expect(try await room.expect("songs").contains("stopped at 1:00"))
      for words in [
        ["listen", "chapter"], ["listen", "chapter", "--activity", "kitchen-music"],
        ["scene", "run", "kitchen-music", "--song", "chapter"],
      ] {
        let terminal = try room.terminal(words)
        defer { terminal.close() }
        await terminal.expect("at 1:00")
        await terminal.expect(Self.question)
        terminal.type("\r")
        await terminal.expect("going on at 1:00")
        await terminal.expect("[ended 0] icanon echo")
        try await room.expect("pause", "--room", "kitchen")
        try await room.expect("seek", "1:00", "--room", "kitchen")
        try await room.expect("stop", "--room", "kitchen")
      }
    }
  }
}
