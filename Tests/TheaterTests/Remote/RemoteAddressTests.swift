import APIClient
import AccountFlows
import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import theater

@Suite struct RemoteAddressTests {
  @Test(
    "reads the address of a controller, and shows it as it can be typed",
    arguments: [
      ("https://box:8080", "https://box:8080"),
      ("HTTPS://Box.Local:8443/", "https://box.local:8443"),
      ("https://box", "https://box:443"), ("https://192.0.2.7:1", "https://192.0.2.7:1"),
      ("https://[FD00::7]:8080", "https://[fd00::7]:8080"),
      ("http://localhost:8080", "http://localhost:8080"),
      ("http://127.0.0.1", "http://127.0.0.1:80"), ("http://[::1]:8080", "http://[::1]:8080"),
    ])
  func read(text: String, shown: String) throws {
    let address = try RemoteAddress(text)
    #expect("\(address)" == shown)
    #expect(try RemoteAddress(shown) == address)
    #expect(!address.fileName.split(separator: "/").contains(".."))
    #expect(address.fileName.split(separator: "/").count == 2)
  }

  @Test(
    "refuses what is no address of a controller, and repeats none of it",
    arguments: [
      "", "box", "box:8080", "https://", "https://:8080", "https://box:0", "https://box:65536",
      "https://box:8080/api", "https://box?x", "https://user:secret@box", "https://..:8080",
      "https://a..b", "https://.", "https://../../etc", "ftp://box", "socket:/run", "https://bo x",
      "https://box\u{0}", "https://[::1", "https://[box]:1",
      "https://\(String(repeating: "a", count: 300))",
      "https://ü", "user:secret@box",
    ])
  func refused(text: String) {
    let error = #expect(throws: ExitError.self) { try RemoteAddress(text) }
    #expect(error?.code == .wrongUsage)
    #expect(error?.text.contains("expected https://HOST:PORT") == true)
    #expect(error?.text.contains("secret") == false)
  }

  @Test("an address without its scheme is shown with it")
  func withoutScheme() {
    let error = #expect(throws: ExitError.self) { try RemoteAddress("box.local:8080") }
    #expect(error?.text.contains("Write https://box.local:8080.") == true)
  }

  @Test(
    "plain HTTP is refused beyond this machine",
    arguments: [
      "http://box:8080", "http://192.0.2.7", "http://127.example.org", "http://[fd00::1]",
    ])
  func plain(text: String) {
    let error = #expect(throws: ExitError.self) { try RemoteAddress(text) }
    #expect(error?.code == .wrongUsage)
    #expect(error?.text.contains("Use https://") == true)
  }
}

@Suite struct InvocationTests {
  private static let none: @Sendable (String) -> String? = { _ in nil }

  /// An environment with these variables alone.
  private static func environment(
    _ variables: [String: String]
  ) -> @Sendable (String) -> String? {
    { variables[$0] }
  }

  @Test("the options before the command select the controller; the rest is the command")
  func options() throws {
    for words in [
      ["--at", "https://box:8080", "status"], ["--at=https://box:8080", "status"],
    ] {
      let invocation = Invocation(words)
      #expect(invocation.command == ["status"])
      let target = try invocation.target(Self.none)
      #expect("\(try #require(target.address))" == "https://box:8080")
      #expect(target.options == " --at https://box:8080" && target.token == nil)
    }
    let later = Invocation(["scene", "run", "x", "--at", "5"])
    #expect(later.command == ["scene", "run", "x", "--at", "5"] && later.at == nil)
    #expect(Invocation(["--at"]).command == ["--at"])
    #expect(Invocation(["--at", "--json"]).command == ["--at", "--json"])
  }

  @Test("an option that selects the controller stands before the command")
  func misplaced() throws {
    for words in [
      ["status", "--at", "https://box:8080"], ["--at"], ["status", "--token-file", "x"],
    ] {
      let error = try #require(throws: (any Error).self) { try Theater.parseAsRoot(words) }
      let ending = ExitError(error, arguments: words)
      #expect(ending.code == .wrongUsage)
      #expect(
        ending.text.contains("before the command") || ending.text.contains("Missing value"),
        "\(ending.text)")
    }
  }

  @Test("the environment selects the controller where no option does")
  func environment() throws {
    let variables = Self.environment([
      "THEATER_AT": "https://box:8080", "THEATER_TOKEN": " abc-DEF_1\n",
    ])
    let target = try Invocation(["status"]).target(variables)
    #expect("\(try #require(target.address))" == "https://box:8080")
    #expect(target.options.isEmpty && target.token?.text == "abc-DEF_1")
    let other = try Invocation(["--at", "https://tv:1", "status"]).target(variables)
    #expect("\(try #require(other.address))" == "https://tv:1")
    let error = #expect(throws: ExitError.self) {
      try Invocation([]).target { ["THEATER_AT": "box"][$0] }
    }
    #expect(error?.text.hasPrefix("THEATER_AT: ") == true)
  }

  @Test("a token comes from a file that only its user can read, or from the environment")
  func tokens() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("token", Array("from-the-file\n".utf8))
    chmod(path, 0o600)
    let variables = Self.environment(["THEATER_TOKEN": "from-the-variable"])
    let words = ["--token-file", path, "status"]
    #expect(try Invocation(words).target(variables).token?.text == "from-the-file")
    #expect(try Invocation([]).target(variables).token?.text == "from-the-variable")
    // The file of `curl -H @FILE` serves as well.
    for header in ["Authorization: Bearer from-the-file\n", "authorization: bearer from-the-file"] {
      let file = try folder.write("header", Array(header.utf8))
      chmod(file, 0o600)
      let target = try Invocation(["--token-file", file]).target(variables)
      #expect(target.token?.text == "from-the-file")
    }
    #expect(
      try Invocation([]).target { ["THEATER_TOKEN_FILE": path][$0] }.token?.text == "from-the-file")
    chmod(path, 0o644)
    let open = #expect(throws: ExitError.self) { try Invocation(words).target(variables) }
    #expect(open?.code == .wrongUsage && open?.text.contains("chmod 600 \(path)") == true)
    for (file, reason) in [(folder.path(of: "gone"), "has no token")] {
      let error = #expect(throws: ExitError.self) {
        try Invocation(["--token-file", file]).target(Self.none)
      }
      #expect(error?.text.contains(reason) == true)
    }
    for text in ["two words", "ü", "a\u{1B}[2J", String(repeating: "a", count: 300)] {
      let error = #expect(throws: ExitError.self) {
        try Invocation([]).target { ["THEATER_TOKEN": text][$0] }
      }
      #expect(error?.text.contains("THEATER_TOKEN holds no token") == true)
      #expect(error?.text.contains(text) == false)
    }
  }

  @Test("a token is in no description of its command")
  func hiddenToken() throws {
    let target = try Invocation([]).target { ["THEATER_TOKEN": "very-secret"][$0] }
    #expect(!"\(target)".contains("very-secret"))
    var dumped = ""
    dump(target, to: &dumped)
    #expect(!dumped.contains("very-secret"))
  }

  @Test(
    "a command for this machine's own files says that a controller elsewhere makes no sense",
    arguments: [
      ["serve"], ["config", "check"], ["config", "schema"], ["backup"], ["backup", "create"],
      ["backup", "restore"], ["discover"], ["plugin", "check", "x"],
      ["plugin", "new", "Mine", "--role", "lights", "--language", "c"],
      ["accounts", "unlock", "E"],
      ["controllers"], ["controllers", "forget", "https://box:1"],
    ])
  func localCommands(words: [String]) async throws {
    for option in [["--at", "https://box:8080"], ["--token-file", "x"]] {
      let error = await #expect(throws: ExitError.self) {
        try await Invocation(option + words).run()
      }
      #expect(error?.code == .wrongUsage)
      #expect(error?.text.contains("\(option[0]) makes no sense") == true, "\(words)")
    }
  }

  @Test("help works with a controller that is not there")
  func help() async throws {
    for words in [["--help"], ["help"], ["status", "--help"], ["scene"]] {
      let error = await #expect(throws: ExitError.self) {
        try await Invocation(["--at", "https://box.invalid:8080"] + words).run()
      }
      #expect(error?.code == .done && error?.text.contains("USAGE") == true, "\(words)")
    }
  }

  @Test("suggested commands name the controller that the option names")
  func hints() async throws {
    let target = try Invocation(["--at", "https://box:8080"]).target(Self.none)
    ControllerTarget.$current.withValue(target) {
      #expect(ProgramName.name == "\(ProgramName.program) --at https://box:8080")
      #expect(
        HintedCommands.hint(nil, refusal: "notLoggedIn")
          == "next: \(ProgramName.program) --at https://box:8080 login")
    }
  }

  @Test("a terminal that finds no controller names the way to one of another user or machine")
  func noController() {
    let ending = ExitError(.notRunning(.socket("/nowhere")))
    #expect(ending.code == .notRunning)
    #expect(ending.text.contains("--at https://localhost:8080"))
    let elsewhere = ExitError(.notRunning(.tls(host: "box", 8080)))
    #expect(elsewhere.code == .notRunning)
    #expect(elsewhere.text.hasPrefix("no controller answers at https://box:8080"))
  }
}
