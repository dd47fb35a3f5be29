import APIClient
import ArgumentParser
import Devices
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing

@testable import theater

@Suite struct UsageTests {
  @Test(
    "parses every command line of the documentation",
    arguments: [
      ["watch", "Night Ferry", "--from-start"], ["watch", "Night Ferry", "--resume"],
      ["scene", "run", "movie-night", "--film", "Night Ferry", "--resume"],
      ["scene", "plan", "movie-night", "--film", "Night Ferry", "--from-start"],
      ["listen", "x", "--no-wait"], ["listen"],
      ["watch", "x", "--activity", "bedroom"], ["watch", "--activity", "disc"],
      ["listen", "x", "--activity", "bedroom"], ["radio", "98.5", "FM", "--activity", "kitchen"],
      ["radio", "98.5", "FM"], ["popcorn"], ["stop"], ["end"], ["off"], ["pause"], ["resume"],
      ["next"], ["previous"], ["seek", "12:30"], ["seek", "+30"], ["seek", "-30"],
      ["volume", "40"], ["volume", "+5"], ["volume", "-5"], ["mute"], ["mute", "off"],
      ["status"], ["status", "--follow"], ["status", "--json"], ["films"], ["songs", "--json"],
      ["stations"], ["devices"], ["device", "lights", "dim", "40"],
      ["device", "dvd", "play", "A B"], ["device", "lights"], ["scenes"],
      ["scene", "run", "movie-night", "--film", "Night Ferry"], ["scene", "run", "x"],
      ["scene", "run", "x", "--set", "json=a", "--json"],
      ["scene", "plan", "movie-night", "--film", "Night Ferry"],
      ["register", "--setup-code", "X", "--name", "N", "--email", "E", "--password-stdin"],
      ["register", "--invitation", "X"],
      ["register", "--invitation", "X", "--by-code", "--phone", "+49"],
      ["login", "--email", "E", "--password-stdin"],
      ["login", "--by-code", "--phone", "+49"], ["password", "reset", "--email", "E"],
      ["verify", "email"], ["verify", "phone", "+49"], ["logout"], ["whoami"], ["invite"],
      ["invite", "--role", "owner", "--for", "7d"],
      ["invite", "list"], ["invite", "revoke", "x"], ["prove", "--password-stdin"], ["sessions"],
      ["sessions", "--json"], ["sessions", "end", "x"], ["sessions", "end", "--all"],
      ["sessions", "end", "--others"], ["accounts"], ["accounts", "role", "E", "owner"],
      ["accounts", "age", "E", "12"], ["accounts", "age", "E", "none"], ["accounts", "leave"],
      ["accounts", "remove", "E"], ["accounts", "rename", "N"], ["guest", "list"],
      ["guest", "invite", "--activities", "film,music", "--volume", "40", "--for", "6h"],
      ["token", "create", "doorbell", "--may", "pause,resume", "--days", "365"], ["token", "list"],
      ["token", "words"], ["token", "revoke", "doorbell"], ["token", "revoke", "--all"],
      ["sessions", "end", "--all", "--tokens"],
      ["guest", "revoke", "x"], ["guest", "enter"], ["audit"], ["library", "scan"],
      ["library", "scan", "--json"], ["watch", "--", "-rf"],
      ["audit", "--limit", "10", "--since", "2h", "--json"], ["audit", "--before", "17"],
      ["audit", "--all", "--since", "7d"], ["plugins"], ["audio", "devices"],
      ["plugin", "check", "x"],
      ["plugin", "check", "x", "--role", "lights", "--options", #"{"port": 1}"#, "--json"],
      ["plugin", "check", "x", "--options-file", "x.json"],
      ["plugin", "new", "Mine", "--role", "lights", "--language", "c", "--into", "plugins"],
      ["plugin", "new", "Mine", "--role", "lights", "--language", "swift", "--package", "."],
      ["doctor"], ["discover"], ["discover", "--only", "sound", "--only", "mqtt", "--json"],
      ["discover", "--broker", "broker.lan:1884", "--timeout", "5"],
      ["discover", "--broker", "broker.lan", "--user", "theater", "--password-stdin"],
      ["discover", "--put-in", "projector", "--put-in", "amp=alsa:hw:CARD=PCH,DEV=0", "--replace"],
      ["config", "check"], ["config", "check", "x.json"], ["config", "schema"],
      ["config", "diff"], ["config", "diff", "x.json", "--json"],
      ["device", "swap", "amp", "--plugin", "Simulated"],
      [
        "device", "swap", "amp", "--plugin", "ALSAAmplifier", "--option", "device=hw:1", "--option",
        "buffer=100", "--process", "second", "--save", "--json",
      ],
      ["serve", "--config", "x.json", "--port", "0", "--host", "::1", "--plugins", "a"],
      ["serve", "--host", "0.0.0.0", "--insecure-plain-http-on-the-network"],
      ["controllers"], ["controllers", "confirm", "https://box.local:8080"],
      ["controllers", "forget", "https://box.local:8080"],
    ])
  func understood(words: [String]) throws {
    _ = try Theater.parseAsRoot(words)
  }

  @Test("the help shows a default length of time as it can be typed")
  func defaultTime() {
    let help = Theater.helpMessage(for: Guest.Make.self, columns: 200)
    #expect(help.contains("(default: 24h)"), "\(help)")
    #expect(TimeSpan(argument: TimeSpan.day.defaultValueDescription) == .day)
    #expect(TimeSpan(seconds: 5400).defaultValueDescription == "90m")
  }

  @Test("the version is the newest one of the changelog")
  func version() throws {
    let changelog = try ProjectFile.text("CHANGELOG.md")
    let newest = try #require(changelog.firstMatch(of: /\n## (\d+\.\d+\.\d+)/)).output.1
    let error = #expect(throws: (any Error).self) { try Theater.parseAsRoot(["--version"]) }
    #expect(ExitError(try #require(error)).text == newest)
    #expect(TheaterVersion.text == newest)
  }

  @Test(
    "wrong usage exits with 2 and a message",
    arguments: [
      ["watch"], ["nonsense"], ["films", "--nix"], ["seek"], ["seek", "x"], ["seek", "1", "2"],
      ["volume", "101"], ["volume"], ["mute", "maybe"], ["scene", "run"],
      ["scene", "run", "x", "film"], ["register", "--setup-code", "a", "--invitation", "b"],
      ["register", "--setup-code", "a", "--by-code"], ["register", "--by-code"],
      ["register", "--invitation", "a", "--phone", "+49"],
      ["serve", "--port", "70000"], ["serve", "--port", "x"], ["radio"],
      ["serve", "--log-level", "loud"], ["sessions", "end"], ["sessions", "end", "x", "--all"],
      ["token", "create", "x", "--may", ","],
      ["token", "create", "", "--may", "pause"],
      ["token", "create", "x", "--may", "pause", "--days", "0"],
      ["token", "create", "x", "--may", "pause", "--days", "731"], ["token", "revoke"],
      ["token", "revoke", "x", "--all"], ["sessions", "end", "x", "--tokens"],
      ["invite", "--role", "guest"], ["invite", "--for", "7"], ["guest", "invite"],
      ["guest", "invite", "--activities", "film", "--volume", "101"], ["audit", "--limit", "0"],
      ["audit", "--before", "0"], ["audit", "--all", "--limit", "5"],
      ["accounts", "age", "E", "22"], ["config", "diff", "a", "b"], ["device", "swap"],
      ["device", "swap", "amp"], ["device", "swap", "amp", "--plugin", "x", "--option", "speed"],
      ["device", "swap", "amp", "--plugin", "x", "--option", "=1"],
      ["device", "swap", "amp", "dvd", "--plugin", "x"],
    ])
  func wrongUsage(words: [String]) throws {
    let error = try #require(throws: (any Error).self) { try Theater.parseAsRoot(words) }
    let ending = ExitError(error)
    #expect(ending.code == .wrongUsage)
    #expect(ending.code.rawValue == 2)
    #expect(!ending.text.isEmpty && !ending.text.hasPrefix("Error"))
    #expect(!ending.isAnswer)
  }

  @Test(
    "an empty name is refused with a sentence, not looked up at another route",
    arguments: [
      (["device", ""], "a device"), (["device", " ", "on"], "a device"),
      (["device", "swap", "", "--plugin", "x"], "a device"),
      (["device", "swap", "amp", "--plugin", ""], "a plugin"),
      (["scene", "run", ""], "a scene"), (["scene", "plan", ""], "a scene"),
      (["scene", "cancel", ""], "a scene or a run"),
      (["watch", "x", "--activity", ""], "an activity"),
      (["guest", "revoke", ""], "a guest pass"), (["invite", "revoke", ""], "an invitation"),
      (["accounts", "role", "", "owner"], "an account"),
      (["accounts", "age", "", "12"], "an account"),
      (["accounts", "remove", ""], "an account"), (["accounts", "unlock", ""], "an account"),
    ])
  func emptyNames(words: [String], what: String) throws {
    let error = try #require(throws: (any Error).self) { try Theater.parseAsRoot(words) }
    let ending = ExitError(error, arguments: words)
    #expect(ending.code == .wrongUsage)
    let kind = what == "an account" ? "address" : "name"
    #expect(ending.text.hasPrefix("Give the \(kind) of \(what): it is empty."), "\(ending.text)")
  }

  @Test(
    "a negative value is refused by its range, not as missing",
    arguments: [
      (["guest", "invite", "--activities", "film", "--volume", "-3"], "--volume takes 0 to 100."),
      (["guest", "invite", "--activities", "film", "--age", "-3"], "'-3' is invalid for '--age"),
      (["invite", "make", "--for", "-3d"], "'-3d' is invalid for '--for"),
      (["audit", "--limit", "-3"], "--limit takes 1 to 1000."),
      (["audit", "--before", "-3"], "--before takes a whole number from 1 on."),
      (["discover", "--timeout", "-3"], "--timeout takes 1 to 60 s."),
      (["serve", "--port", "-3"], "--port takes 0 to 65535."),
    ])
  func negativeValues(words: [String], message: String) throws {
    let error = try #require(throws: (any Error).self) { try Theater.parseAsRoot(words) }
    let ending = ExitError(error, arguments: words)
    #expect(ending.code == .wrongUsage)
    #expect(ending.text.contains(message), "\(ending.text)")
  }

  @Test(
    "the help of `device swap` is its own",
    arguments: [
      ["device", "swap", "--help"], ["device", "swap", "amp", "-h"], ["help", "device", "swap"],
    ])
  func helpOfSwap(words: [String]) throws {
    let error = ExitError(try help(words), arguments: words)
    #expect(error.code == .done && error.isAnswer)
    #expect(error.text.contains("USAGE: theater device swap <device> --plugin"), "\(error.text)")
    #expect(error.text.contains("--option <key=value>"))
    let device = ["device", "--help"]
    let other = ExitError(try help(device), arguments: device)
    #expect(other.text.contains("USAGE: theater device [--no-wait]"), "\(other.text)")
  }

  @Test("F6 · a folder of plugins that does not exist is refused with its path")
  func missingPluginFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write("file", [])
    #expect(try PluginFolderOptions.parse(["--plugins", folder.path]).existing() == [folder.path])
    for (path, problem) in [
      (folder.path(of: "gone"), "there is no folder"), (folder.path(of: "file"), "is not a folder"),
    ] {
      let error = #expect(throws: ExitError.self) {
        try PluginFolderOptions.parse(["--plugins", folder.path, "--plugins", path]).existing()
      }
      #expect(error?.code == .failed)
      #expect(error?.text.contains(problem) == true && error?.text.contains(path) == true)
    }
  }

  @Test(
    "a misspelt command gets a suggestion",
    arguments: [
      (["wach"], "Unknown command 'wach'. Did you mean 'theater watch'?"),
      (["wach", "x"], "Unknown command 'wach'. Did you mean 'theater watch'?"),
      (["wach", "--from-start"], "Unknown command 'wach'. Did you mean 'theater watch'?"),
      (["backup", "restor"], "Unknown command 'restor'. Did you mean 'theater backup restore'?"),
      (["config", "chek", "x"], "Unknown command 'chek'. Did you mean 'theater config check'?"),
      (["accounts", "lst"], "Unknown command 'lst'. Did you mean 'theater accounts list'?"),
      (["scene", "rn", "x"], "Unknown command 'rn'. Did you mean 'theater scene run'?"),
      (["library", "scna"], "Unknown command 'scna'. Did you mean 'theater library scan'?"),
      (["edn"], "Unknown command 'edn'. Did you mean 'theater end'?"),
      (["hlep"], "Unknown command 'hlep'. Did you mean 'theater help'?"),
      (["hlep", "watch"], "Unknown command 'hlep'. Did you mean 'theater help'?"),
      (["films", "--jsno"], "Unknown option '--jsno'. Did you mean '--json'?"),
      (["xyzzyxyzzy"], "Unexpected argument 'xyzzyxyzzy'"),
      (["watch", "x", "y"], "Unexpected argument 'y'"),
    ])
  func misspelt(words: [String], first: String) throws {
    let error = try #require(throws: (any Error).self) { try Theater.parseAsRoot(words) }
    let ending = ExitError(error, arguments: words)
    #expect(ending.code == .wrongUsage)
    let lines = ending.text.split(separator: "\n")
    #expect(lines.first.map(String.init) == first)
    #expect(lines.dropFirst().first?.hasPrefix("Usage: theater") == true)
  }

  @Test(
    "help on an unknown command exits with 2 and a suggestion",
    arguments: [
      (["help", "wach"], "Unknown command 'wach'. Did you mean 'theater help watch'?"),
      (
        ["help", "backup", "restor"],
        "Unknown command 'restor'. Did you mean 'theater help backup restore'?"
      ),
      (["help", "xyzzyxyzzy"], "Unknown command 'xyzzyxyzzy'. See the commands: theater help"),
      (["wach", "--help"], "Unknown command 'wach'. Did you mean 'theater watch'?"),
    ])
  func misspeltHelp(words: [String], first: String) throws {
    let error = ExitError(try help(words), arguments: words)
    #expect(error.code == .wrongUsage && !error.isAnswer)
    let lines = error.text.split(separator: "\n")
    #expect(lines.first.map(String.init) == first)
    #expect(lines.dropFirst().first?.hasPrefix("Usage: theater") == true)
  }

  @Test(
    "help exits with 0",
    arguments: [
      ["--help"], ["help"], ["help", "watch"], ["help", "accounts"], ["watch", "--help"],
    ])
  func knownHelp(words: [String]) throws {
    let error = ExitError(try help(words), arguments: words)
    #expect(error.code == .done)
    #expect(error.isAnswer)
    #expect(error.text.contains("USAGE"))
  }

  /// The error with which a request for help ends.
  private func help(_ words: [String]) throws -> any Error {
    try #require(throws: (any Error).self) {
      var command = try Theater.parseAsRoot(words)
      try command.run()
    }
  }

  @Test("a missing controller exits with 3 and the command that starts it")
  func notRunning() {
    let ending = ExitError(ControllerConnectionError.notRunning(.socket("/nowhere")) as any Error)
    #expect(ending.code == .notRunning)
    #expect(ending.code.rawValue == 3)
    #expect(ending.text.contains("serve"))
  }

  @Test(
    "a refusal exits with 1, a missing login with 4, and names the command that helps",
    arguments: [
      (401, "notLoggedIn", 4, "login"), (401, "wrongCredentials", 1, nil),
      (403, "proofNeeded", 1, "prove"), (404, "notFound", 1, nil), (403, "forbidden", 1, nil),
      (503, "deviceFailed", 1, nil),
    ] as [(Int, String, Int32, String?)])
  func refused(status: Int, code: String, exit: Int32, command: String?) {
    let error: JSON = [
      "error": [
        "code": .string(code), "message": "it is stuck", "hint": "Push.", "device": "amp",
        "step": "3",
      ]
    ]
    let ending = ExitError(
      ControllerResponse(status: status, headers: [:], body: Array(error.text().utf8)))
    #expect(ending.code.rawValue == exit)
    let next = command.map { "\n  next: \(ProgramName.name) \($0)" } ?? ""
    #expect(ending.text == "step 3, amp: it is stuck\n  Push.\(next)")
  }

  @Test("an empty 500 refers to the log")
  func emptyAnswer() {
    let ending = ExitError(ControllerResponse(status: 500, headers: [:], body: []))
    #expect(ending.code == .failed)
    #expect(ending.text.contains("log"))
  }
}
