import APIClient
import Foundation
import Glibc
import JSON
import NIOHTTP1
import Platform
import TestSupport
import Testing

/// The terminal of another machine or user: its own folders, and `--at` with the address of a controller.
private final class RemoteTerminal: Sendable {
  private let temporary: TemporaryFolder
  let folder: URL
  let environment: [String: String]
  let address: String

  init(at address: String, more: [String: String] = [:]) throws {
    temporary = try ControllerFolder.make(plugins: [])
    folder = temporary.url
    self.address = address
    environment = ControllerFolder.environment(of: folder).merging(
      ["HOME": folder.path, "NO_COLOR": "1"].merging(more) { $1 }
    ) { $1 }
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func text(_ name: String) -> String {
    String(
      decoding: (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data(),
      as: UTF8.self)
  }

  /// Runs a command with `--at`.
  func theater(_ words: String..., input: String = "") async throws -> Program.Outcome {
    try await run(["--at", address] + words, input: input)
  }

  /// Runs a command as it stands.
  func run(_ words: [String], input: String = "", more: [String: String] = [:]) async throws
    -> Program.Outcome
  {
    try await Program.run(
      Program.products.appendingPathComponent("theater"), words,
      environment: environment.merging(more) { $1 }, input: input, folder: folder)
  }

  /// Starts a command with `--at` at a pseudo-terminal.
  func terminal(_ words: String...) throws -> Terminal {
    try Terminal(
      Program.products.appendingPathComponent("theater"), ["--at", address] + words,
      environment: environment.merging(["TERM": "xterm"]) { $1 })
  }

  /// Starts a command with `--at`, with its output in `followed` and its errors in `errors`.
  func follow(_ words: String...) throws -> RunningProgram {
    for name in ["followed", "errors"] {
      try Data().write(to: folder.appendingPathComponent(name))
    }
    return try RunningProgram(
      Program.products.appendingPathComponent("theater").path, ["--at", address] + words,
      environment: environment, output: .files(output: path("followed"), errors: path("errors")))
  }

  func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
  }
}

extension SmallTheater {
  /// The port of the last start, from the console.
  fileprivate func port() async throws -> Int {
    try #require(await eventually { self.text("console").contains("listening on https://") })
    let found = try #require(
      text("console").firstMatch(of: /https:\/\/127\.0\.0\.1:(\d+)/), "\(text("console"))")
    return try #require(Int(found.output.1))
  }

  /// The fingerprint that the console shows.
  fileprivate func fingerprint() throws -> String {
    String(
      try #require(
        text("console").firstMatch(of: /SHA-256 ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})/),
        "\(text("console"))"
      ).output.1)
  }

  /// Starts the controller again on its port.
  fileprivate func restart(on port: Int) async throws {
    await close()
    try #require(try await start(port: port), "\(text("log"))")
    #expect(try await self.port() == port)
  }
}

/// The terminal with a controller of another machine or user, over TLS.
@Suite struct RemoteTests {
  /// Runs `body` with a controller that has an owner, and a terminal elsewhere.
  private func withRemote(
    _ body: (SmallTheater, RemoteTerminal, Int) async throws -> Void
  ) async throws {
    let room = try SmallTheater(more: ["web": ["tls": true]])
    try #require(try await room.start(), "\(room.text("log"))")
    _ = try await room.registerOwner()
    let port = try await room.port()
    do {
      try await body(room, RemoteTerminal(at: "https://127.0.0.1:\(port)"), port)
    } catch {
      await room.close()
      throw error
    }
    await room.close()
  }

  /// Confirms the certificate with the fingerprint of the console, and logs in.
  private func logIn(_ elsewhere: RemoteTerminal, to room: SmallTheater) async throws {
    let confirmed = try await elsewhere.run(
      ["controllers", "confirm", elsewhere.address, room.fingerprint()])
    #expect(confirmed.status == 0, "\(confirmed.errors)")
    let login = try await elsewhere.theater(
      "login", "--email", "ann@example.org", "--password-stdin", input: room.password + "\n")
    try #require(login.status == 0, "\(login.output)\(login.errors)")
  }

  @Test("A10 · a script elsewhere confirms the fingerprint of the console once, logs in and out")
  func script() async throws {
    try await withRemote { room, elsewhere, port in
      let fingerprint = try room.fingerprint()
      // Unconfirmed: nothing is sent, not even a password.
      for words in [["status"], ["login", "--email", "ann@example.org", "--password-stdin"]] {
        let outcome = try await elsewhere.run(
          ["--at", elsewhere.address] + words, input: room.password + "\n")
        #expect(outcome.status == 1, "\(outcome.output)")
        #expect(outcome.errors.contains("nothing was sent"))
        #expect(outcome.errors.contains("SHA-256 \(fingerprint)"), "\(outcome.errors)")
        #expect(outcome.errors.contains("controllers confirm \(elsewhere.address) FINGERPRINT"))
      }
      try await logIn(elsewhere, to: room)
      let token = "state/theater/controllers/127.0.0.1/https-\(port).token"
      #expect(try elsewhere.mode(token) == 0o600)
      #expect(try elsewhere.mode("config/theater/known-controllers") == 0o600)
      #expect(
        elsewhere.text("config/theater/known-controllers")
          == "\(elsewhere.address) SHA-256 \(fingerprint)\n")
      #expect(!FileManager.default.fileExists(atPath: elsewhere.path("state/theater/token")))

      #expect(try await elsewhere.theater("whoami").output.contains("Ann"))
      let status = try await elsewhere.theater("status", "--json")
      #expect(try JSON(parsing: status.output)["devices"]?.array?.count == 1)
      let dimmed = try await elsewhere.theater("device", "lights", "dim", "40")
      #expect(dimmed.output.contains("lights dim 40: done"), "\(dimmed.errors)")
      let doctor = try await elsewhere.theater("doctor")
      #expect(doctor.output.contains(fingerprint), "\(doctor.output)\(doctor.errors)")
      let listed = try await elsewhere.run(["controllers"])
      #expect(listed.output.contains("SHA-256 \(fingerprint)"))
      // The terminal's own controller is another one.
      let own = try await elsewhere.run(["whoami"])
      #expect(own.status == 3 && own.errors.contains("--at https://localhost:8080"))

      let secret = elsewhere.text(token).trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(!room.text("log").contains(secret) && !room.text("console").contains(secret))
      #expect(try await elsewhere.theater("logout").status == 0)
      #expect(!FileManager.default.fileExists(atPath: elsewhere.path(token)))
      let after = try await elsewhere.theater("status")
      #expect(after.status == 4)
      #expect(after.errors.contains("--at \(elsewhere.address) login"), "\(after.errors)")
      #expect(try await room.client(token: secret).send(.GET, "/api/v1/status").status == 401)
    }
  }

  @Test("A9 · at a terminal the fingerprint of the console is shown and confirmed once")
  func confirmed() async throws {
    try await withRemote { room, elsewhere, _ in
      let fingerprint = try room.fingerprint()
      for answer in ["no", ""] {
        let refused = try elsewhere.terminal("whoami")
        await refused.expect("SHA-256 \(fingerprint)")
        await refused.expect("Type yes if they are the same: ")
        refused.type(answer + "\r")
        await refused.expect("is not confirmed; nothing was sent")
        await refused.expect("[ended 1]")
        refused.close()
      }
      #expect(elsewhere.text("config/theater/known-controllers").isEmpty)
      let accepted = try elsewhere.terminal("login", "--email", "ann@example.org")
      defer { accepted.close() }
      await accepted.expect("Type yes if they are the same: ")
      accepted.type("yes\r")
      await accepted.expect("password")
      accepted.type(room.password + "\r")
      await accepted.expect("You are logged in, Ann.")
      await accepted.expect("[ended 0]")
      let again = try elsewhere.terminal("whoami")
      defer { again.close() }
      await again.expect("Ann")
      await again.expect("[ended 0]")
      #expect(!again.text.contains("Type yes"))
    }
  }

  @Test("A9 · another certificate than the confirmed one is refused, until it is confirmed as well")
  func changed() async throws {
    try await withRemote { room, elsewhere, port in
      try await logIn(elsewhere, to: room)
      let first = try room.fingerprint()
      await room.close()
      unlink(room.path("state/theater/tls.pem"))
      try await room.restart(on: port)
      let second = try room.fingerprint()
      #expect(first != second)
      for words in [["status"], ["status", "--follow"], ["pause"]] {
        let refused = try await elsewhere.run(["--at", elsewhere.address] + words)
        #expect(refused.status == 1)
        for text in ["SHA-256 \(first)", "SHA-256 \(second)", "nothing was sent", "FINGERPRINT"] {
          #expect(refused.errors.contains(text), "\(refused.errors)")
        }
      }
      // A terminal does not ask either: a person in a hurry would say yes.
      let terminal = try elsewhere.terminal("status")
      defer { terminal.close() }
      await terminal.expect("another one than you confirmed")
      await terminal.expect("[ended 1]")
      #expect(!terminal.text.contains("Type yes"))
      let confirmed = try await elsewhere.run(
        ["controllers", "confirm", elsewhere.address, "SHA-256", second])
      #expect(confirmed.status == 0, "\(confirmed.errors)")
      #expect(try await elsewhere.theater("whoami").output.contains("Ann"))
      #expect(try await elsewhere.run(["controllers", "forget", elsewhere.address]).status == 0)
      #expect(try await elsewhere.theater("whoami").errors.contains("not confirmed yet"))
      let token = "state/theater/controllers/127.0.0.1/https-\(port).token"
      #expect(!FileManager.default.fileExists(atPath: elsewhere.path(token)))
    }
  }

  @Test("F5 · status --follow elsewhere goes on after a restart of the controller")
  func follow() async throws {
    try await withRemote { room, elsewhere, port in
      try await logIn(elsewhere, to: room)
      let program = try elsewhere.follow("status", "--follow")
      #expect(await eventually { elsewhere.text("followed").contains("lights: ") })
      try await room.restart(on: port)
      #expect(await eventually { elsewhere.text("errors").contains("connected again") })
      let lines = elsewhere.text("errors").split(separator: "\n")
      #expect(lines.count == 2 && lines.first?.contains("trying again") == true, "\(lines)")
      let dimmed = try await elsewhere.theater("device", "lights", "dim", "37")
      #expect(dimmed.status == 0, "\(dimmed.errors)")
      #expect(
        await eventually { elsewhere.text("followed").contains("37") },
        "\(elsewhere.text("followed"))\(elsewhere.text("errors"))")
      // The end of the session ends it, and no further attempt is made.
      let others = try await room.client(token: room.logIn()).send(
        .DELETE, "/api/v1/sessions/others")
      #expect(others.isSuccess)
      #expect(await program.waitForEnd())
      #expect(program.status == .exited(4))
      #expect(elsewhere.text("errors").contains("--at \(elsewhere.address) login"))
    }
  }

  @Test("the screen of status --follow elsewhere shows a lost connection, and goes on")
  func followOnScreen() async throws {
    try await withRemote { room, elsewhere, port in
      try await logIn(elsewhere, to: room)
      let terminal = try elsewhere.terminal("status", "--follow")
      defer { terminal.close() }
      await terminal.expect("lights")
      await room.close()
      await terminal.expect("the connection is lost")
      try #require(try await room.start(port: port))
      let hasReturned = await eventually {
        let last = terminal.text.components(separatedBy: "\u{1B}[J").dropLast().last ?? ""
        return last.contains("lights") && !last.contains("the connection is lost")
      }
      #expect(hasReturned, "\(terminal.news)")
      terminal.type("q")
      await terminal.expect("[ended 0]")
    }
  }

  @Test("a token from a file or a variable stands in for a login, and opens no session")
  func token() async throws {
    try await withRemote { room, elsewhere, _ in
      let token = try await room.logIn()
      try Data((token + "\n").utf8).write(to: elsewhere.folder.appendingPathComponent("doorbell"))
      chmod(elsewhere.path("doorbell"), 0o600)
      _ = try await elsewhere.run(["controllers", "confirm", elsewhere.address, room.fingerprint()])
      let words = ["--at", elsewhere.address, "--token-file", elsewhere.path("doorbell")]
      #expect(try await elsewhere.run(words + ["whoami"]).output.contains("Ann"))
      for variables in [
        ["THEATER_TOKEN": token], ["THEATER_TOKEN_FILE": elsewhere.path("doorbell")],
      ] {
        let at = ["THEATER_AT": elsewhere.address].merging(variables) { $1 }
        #expect(try await elsewhere.run(["whoami"], more: at).output.contains("Ann"))
      }
      for command in [["login"], ["logout"], ["prove"], ["guest", "enter"]] {
        let refused = try await elsewhere.run(words + command, input: "x\n")
        #expect(refused.status == 2 && refused.errors.contains("a token was given"), "\(command)")
      }
      // It is a token of the controller's own user as well.
      let local = try await Program.run(
        Program.products.appendingPathComponent("theater"),
        ["--token-file", elsewhere.path("doorbell"), "whoami"], environment: room.environment)
      #expect(local.output.contains("Ann"), "\(local.errors)")
      #expect(!FileManager.default.fileExists(atPath: elsewhere.path("state/theater/token")))
    }
  }

  @Test("completions ask the controller that the line names, and ask no person")
  func completions() async throws {
    try await withRemote { room, elsewhere, _ in
      let request = ["---completion", "device", "--", "positional@0"]
      let words = ["theater", "--at", elsewhere.address, "device", "li"]
      // Not confirmed yet: no candidate, no question.
      let before = try await elsewhere.run(request + ["4", "2"] + words)
      #expect(before.output.isEmpty && before.errors.isEmpty, "\(before.errors)")
      try await logIn(elsewhere, to: room)
      #expect(try await elsewhere.run(request + ["4", "2"] + words).output == "lights\n")
      let variable = try await elsewhere.run(
        request + ["2", "2", "theater", "device", "li"], more: ["THEATER_AT": elsewhere.address])
      #expect(variable.output == "lights\n", "\(variable.errors)")

      let script = try await elsewhere.run(["--generate-completion-script", "bash"])
      try Data(script.output.utf8).write(to: elsewhere.folder.appendingPathComponent("script"))
      mkdir(elsewhere.path("bin"), 0o700)
      symlink(
        Program.products.appendingPathComponent("theater").path, elsewhere.path("bin/theater"))
      var environment = elsewhere.environment
      environment["PATH"] = elsewhere.path("bin") + ":" + (environment["PATH"] ?? "")
      environment["TERM"] = "xterm"
      let terminal = try Terminal(
        URL(fileURLWithPath: "/usr/bin/env"), ["bash", "--norc", "--noprofile", "-i"],
        environment: environment)
      defer { terminal.close() }
      terminal.type(
        "bind 'set enable-bracketed-paste off'; source \(elsewhere.path("script")); "
          + "PS1='READ''Y> '\r")
      await terminal.expect("READY> ")
      terminal.type("theater --at \(elsewhere.address) device li\tdim 21\r")
      await terminal.expect("lights dim 21: done")
      // The address itself, of the controllers that are known.
      terminal.type("theater --at https\t device lights dim 22\r")
      await terminal.expect("lights dim 22: done")
    }
  }

  @Test("A9 · a wrong address, host name or scheme is told from a controller that does not run")
  func wrongAddresses() async throws {
    try await withRemote { room, elsewhere, port in
      func outcome(_ address: String, _ words: String...) async throws -> Program.Outcome {
        let fingerprint = try room.fingerprint()
        if address.hasPrefix("https") {
          _ = try await elsewhere.run(["controllers", "confirm", address, fingerprint])
        }
        return try await elsewhere.run(["--at", address] + words)
      }
      // The certificate has the name; the configuration admits it.
      let local = try await outcome("https://localhost:\(port)", "whoami")
      #expect(local.status == 4, "\(local.errors)")
      let plain = try await outcome("http://localhost:\(port)", "login", "--email", "a@b.example")
      #expect(plain.status == 1, "\(plain.errors)")
      let silent = try await outcome("https://localhost:1", "login", "--email", "a@b.example")
      #expect(silent.status == 3)
      #expect(silent.errors.contains("no controller answers at https://localhost:1"))
      let network = try await outcome("http://192.0.2.7:8080", "whoami")
      #expect(network.status == 2 && network.errors.contains("plain HTTP"))
    }
  }

  @Test(
    "F5 · the second user of a machine reaches the first one's controller, with a login of their own",
    .enabled(if: geteuid() == 0, "needs a second user"))
  func secondUser() async throws {
    try await withRemote { room, elsewhere, port in
      let nobody: uid_t = 65_534
      let files = FileManager.default.enumerator(atPath: elsewhere.folder.path)?.allObjects ?? []
      for name in [""] + files.map({ "/\($0)" }) {
        chown(elsewhere.folder.path + name, nobody, nobody)
      }
      func asNobody(_ words: [String], input: String = "") async throws -> Program.Outcome {
        try await Program.run(
          URL(fileURLWithPath: "/usr/bin/env"),
          ["setpriv", "--reuid", "\(nobody)", "--regid", "\(nobody)", "--clear-groups"]
            + [Program.products.appendingPathComponent("theater").path] + words,
          environment: elsewhere.environment, input: input)
      }
      let none = try await asNobody(["status"])
      #expect(none.status == 3)
      #expect(none.errors.contains("theater --at https://localhost:8080"), "\(none.errors)")
      let address = "https://localhost:\(port)"
      let confirmed = try await asNobody(["controllers", "confirm", address, room.fingerprint()])
      #expect(confirmed.status == 0, "\(confirmed.errors)")
      let stranger = try await asNobody(["--at", address, "status"])
      #expect(stranger.status == 4, "\(stranger.errors)")
      let login = try await asNobody(
        ["--at", address, "login", "--email", "ann@example.org", "--password-stdin"],
        input: room.password + "\n")
      #expect(login.status == 0, "\(login.errors)")
      #expect(try await asNobody(["--at", address, "whoami"]).output.contains("Ann"))
      let token = elsewhere.path("state/theater/controllers/localhost/https-\(port).token")
      let facts = try await Program.tool("stat", "-c", "%u %a", token)
      #expect(facts.output == "\(nobody) 600\n", "\(facts.errors)")
    }
  }
}
