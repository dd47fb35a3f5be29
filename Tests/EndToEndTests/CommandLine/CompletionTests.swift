import APIClient
import Foundation
import JSON
import TestSupport
import Testing

/// The Tab key in real shells, with titles that a shell could execute or expand.
@Suite struct CompletionTests {
  /// Three at a time: the only film, the only song and the only station of a theater.
  private static let titles = [
    "$(touch X)", "`touch X`", "${HOME}", "it's $HOME", "say \"hi\"", "'; touch X; '",
    "\"; touch X; \"", "Run!! !ls !$ ^a^b", "!", "* ?? [a-z]", "back\\slash\\$(touch X)\\",
    "-rf plain", "a;touch X", "a|touch X", "a&touch X&", "two  spaces ", "~root", "~/x",
    "Ünïcödé 映画", "%s %n %d", "{a,b}{1..3}", "<(touch X)", ">X", "#hash", "a=b@c:d",
    "Alien: Covenant", "$'x\\n'", "=ls", "x'y\"z$(touch X)`touch X`!\\", "/etc",
  ]

  /// A script in place of `theater`: passes completion requests on and records other calls.
  private static func wrapper(_ folder: String) -> String {
    """
    #!/bin/sh
    case "$1" in
      ---completion) exec "\(Program.products.path)/theater" "$@" ;;
      *) printf '%s\\0' "$@" >> "\(folder)/words"; echo . >> "\(folder)/calls" ;;
    esac
    """
  }

  private struct Shell {
    let name: String
    let arguments: [String]
    /// Typed first. The prompt is composed of two parts, so that the typed text does not contain it.
    let setUp: String
    /// The quotes that are typed before Tab.
    var quotes = [""]
    /// The beginnings of titles that are typed before Tab.
    var begun: [String] = []
  }

  private static let shells = [
    Shell(
      name: "bash", arguments: ["--norc", "--noprofile", "-i"],
      setUp: "bind 'set enable-bracketed-paste off'; source ../script.bash; PS1='READ''Y> '",
      quotes: ["", "\"", "'"], begun: ["Alien:", "a=b@", "a=b@c:"]),
    Shell(
      name: "zsh", arguments: ["-f", "-i"],
      setUp: "unset zle_bracketed_paste; autoload -U compinit; compinit -u -D; "
        + "source ../script.zsh; PS1='READ''Y> '", quotes: ["", "\"", "'"]),
    Shell(
      name: "fish", arguments: ["--no-config", "-i"],
      setUp: "source ../script.fish; function fish_prompt; echo -n READ'Y> '; end",
      quotes: ["", "\"", "'"]),
  ]

  @Test("bash, zsh and fish complete each title literally and execute no part of it")
  func hostileTitles() async throws {
    let room = try await Self.logIn()
    try Self.addCommands(to: room)
    for shell in Self.shells {
      let script = try await room.theater("--generate-completion-script", shell.name)
      try Data(script.output.utf8).write(
        to: URL(fileURLWithPath: room.path("script.\(shell.name)")))
    }
    for start in stride(from: 0, to: Self.titles.count, by: 3) {
      let titles = Array(Self.titles[start..<min(start + 3, Self.titles.count)])
      await room.crash()
      try Self.configure(room, titles)
      try #require(await room.start())
      for shell in Self.shells { try await complete(titles, in: shell, room) }
    }
    await room.close()
  }

  @Test("F6 · the words after device and device swap are completed with the devices' names")
  func devices() async throws {
    let room = try await Self.logIn()
    for words in [["device", "li"], ["device", "swap", "li"]] {
      let arguments = ["theater"] + words
      let answer = try await room.theater(
        ["---completion", "device", "--", "positional@\(words.count - 2)"]
          + ["\(words.count)", "2"] + arguments)
      #expect(answer.output == "lights\n", "\(words): \(answer.errors)")
    }
    await room.close()
  }

  @Test("after scene run NAME, bash, zsh and fish offer the parameters and their values")
  func sceneParameters() async throws {
    let room = try await Self.logIn()
    try Self.addCommands(to: room)
    let file = URL(fileURLWithPath: room.path("devices.json"))
    var object = try JSON(parsing: Data(contentsOf: file)).object ?? [:]
    object["devices"] = [
      "lights": ["role": "lights", "plugin": "Simulated"],
      "dvd": ["role": "dvdPlayer", "plugin": "Simulated"],
    ]
    object["library"] = ["films": [["id": "ferry", "title": "Night Ferry", "duration": 60]]]
    object["scenes"] = [
      "evening": [
        "parameters": ["film": "film", "level": "number"],
        "steps": [["lights": ["dim": "$level"]], ["dvd": ["play": ["item": "$film"]]]],
      ]
    ]
    await room.crash()
    try Data(JSON.object(object).text().utf8).write(to: file)
    try #require(try await room.start())
    for shell in Self.shells {
      let script = try await room.theater("--generate-completion-script", shell.name)
      try Data(script.output.utf8).write(
        to: URL(fileURLWithPath: room.path("script.\(shell.name)")))
      for command in ["run", "plan"] {
        try await withShell(shell, room) { terminal in
          for (typed, words) in [
            ("scene \(command) ev", ["scene", command, "evening"]),
            ("scene \(command) evening --fi", ["scene", command, "evening", "--film"]),
            ("scene \(command) evening --le", ["scene", command, "evening", "--level"]),
            (
              "scene \(command) evening --film Ni",
              ["scene", command, "evening", "--film", "Night Ferry"]
            ),
            (
              "scene \(command) evening --level 3 --fi",
              ["scene", command, "evening", "--level", "3", "--film"]
            ),
          ] {
            for name in ["words", "calls"] { unlink(room.path(name)) }
            terminal.type("theater \(typed)\t\r")
            #expect(
              await eventually { !room.text("calls").isEmpty },
              "\(shell.name) \(typed): \(terminal.news.debugDescription)")
            #expect(
              room.text("words").split(separator: "\0").map(String.init) == words,
              "\(shell.name) \(typed): \(terminal.news.debugDescription)")
            await terminal.expect("READY> ")
          }
        }
      }
    }
    await room.close()
  }

  /// Starts a theater with one device, and logs its terminal in.
  private static func logIn() async throws -> SmallTheater {
    let room = try SmallTheater()
    try #require(await room.start())
    let token = try #require(try await room.registerOwner().token)
    try Data(token.utf8).write(to: URL(fileURLWithPath: room.path("state/theater/token")))
    chmod(room.path("state/theater/token"), 0o600)
    return room
  }

  private static func addCommands(to room: SmallTheater) throws {
    mkdir(room.path("bin"), 0o700)
    mkdir(room.path("empty"), 0o700)
    try Data(wrapper(room.folder.path).utf8)
      .write(to: URL(fileURLWithPath: room.path("bin/theater")))
    chmod(room.path("bin/theater"), 0o700)
  }

  private static func configure(_ room: SmallTheater, _ titles: [String]) throws {
    let file = URL(fileURLWithPath: room.path("devices.json"))
    var object = try JSON(parsing: Data(contentsOf: file)).object ?? [:]
    var library = JSONObject()
    for (list, title) in zip(["films", "songs", "stations"], titles) {
      var entry: JSONObject = ["title": .string(title)]
      if list == "stations" { entry["fm"] = 98.5 } else { entry["id"] = .string("the-\(list)") }
      library[list] = [.object(entry)]
    }
    object["library"] = .object(library)
    try Data(JSON.object(object).text().utf8).write(to: file)
  }

  private func complete(_ titles: [String], in shell: Shell, _ room: SmallTheater) async throws {
    try await withShell(shell, room) { terminal in
      try await complete(titles, in: shell, room, terminal)
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: room.path("empty"))
    #expect(left.allSatisfy { $0.hasPrefix(".") }, "\(shell.name): \(left)")
  }

  /// Runs a shell with the completions of `theater` while `body` types.
  private func withShell(
    _ shell: Shell, _ room: SmallTheater, _ body: (Terminal) async throws -> Void
  ) async throws {
    var environment = room.environment
    environment["PATH"] = room.path("bin") + ":" + (environment["PATH"] ?? "")
    environment["HOME"] = room.path("empty")
    environment["TERM"] = "xterm"
    environment["LC_ALL"] = "C.UTF-8"
    let terminal = try Terminal(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["-C", room.path("empty"), shell.name] + shell.arguments, environment: environment)
    defer { terminal.close() }
    terminal.type(shell.setUp + "\r")
    await terminal.expect("READY> ")
    try await body(terminal)
  }

  private func complete(
    _ titles: [String], in shell: Shell, _ room: SmallTheater, _ terminal: Terminal
  ) async throws {
    for (command, title) in zip(["watch", "listen", "radio"], titles) {
      // fish would expand the `~` of a candidate, so it gets none.
      let isLeftOut = shell.name == "fish" && title.hasPrefix("~")
      let begun = shell.begun.filter { title.hasPrefix($0) }
      for quote in isLeftOut ? [""] : shell.quotes + begun {
        for name in ["words", "calls"] { unlink(room.path(name)) }
        let words = title.hasPrefix("-") ? [command, "--"] : [command]
        terminal.type("theater \(words.joined(separator: " ")) \(quote)\t\r")
        #expect(
          await eventually { !room.text("calls").isEmpty },
          "\(shell.name) \(quote)\(title): \(terminal.news.debugDescription)")
        let expected = words + (isLeftOut ? [] : [title])
        #expect(
          room.text("words").split(separator: "\0").map(String.init) == expected,
          "\(shell.name) \(quote)")
        await terminal.expect("READY> ")
      }
    }
  }
}
