import APIClient
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// What the commands say to a person at a terminal, and to a script.
@Suite struct MessageTests {
  @Test("serve prints address and setup code before the devices have answered, then the table")
  func startReport() async throws {
    let room = try SmallTheater()
    // A plugin that does not answer until the test lets it.
    let plugin = room.folder.appendingPathComponent("plugins/Simulated/Simulated")
    try FileManager.default.removeItem(at: plugin)
    let script = """
      #!/bin/sh
      while [ ! -e "\(room.path("go"))" ]; do sleep 0.05; done
      exec "\(Program.products.appendingPathComponent("Simulated").path)" "$@"
      """
    try Data(script.utf8).write(to: plugin)
    chmod(plugin.path, 0o700)
    try #require(try await room.start())
    #expect(await eventually { room.text("console").contains("Waiting for 1 device…") })
    let early = room.text("console")
    #expect(early.hasPrefix("listening on http://127.0.0.1:"), "\(early)")
    #expect(early.contains("\nsetup code: ") && early.contains("/register#"))
    #expect(!early.contains("device  role"))
    try Data().write(to: URL(fileURLWithPath: room.path("go")))
    #expect(
      await eventually {
        room.text("console").split(separator: "\n").contains { line in
          line.hasPrefix("lights") && line.contains("ready")
        }
      }, "\(room.text("console"))\(room.text("log"))")
    #expect(room.text("console").hasPrefix(early))
    await room.close()
  }

  @Test("without any account, commands that need a login name register")
  func noAccount() async throws {
    let room = try SmallTheater()
    try #require(try await room.start())
    for words in [["status"], ["films"], ["scene", "run", "x"], ["device", "lights", "on"]] {
      let outcome = try await room.theater(words)
      #expect(outcome.status == 4)
      #expect(outcome.errors.contains("nobody has an account yet"), "\(outcome.errors)")
      #expect(outcome.errors.contains("register --setup-code CODE"))
      #expect(!outcome.errors.contains(" login"))
    }
    let doctor = try await room.theater("doctor")
    #expect(doctor.output.contains("register --setup-code CODE"), "\(doctor.output)")
    let object = try await room.theater("status", "--json")
    #expect(object.status == 4 && object.output.isEmpty)
    let error = try JSON(parsing: Array(object.errors.utf8))["error"]
    #expect(error?["code"] == "notLoggedIn")
    #expect(error?["hint"]?.string?.contains("register") == true)
    _ = try await room.registerOwner()
    let login = try await room.theater("status")
    #expect(login.status == 4 && login.errors.contains(" login"), "\(login.errors)")
    await room.close()
  }

  @Test("config check, doctor and discover judge the running controller's file in any folder")
  func judgedFile() async throws {
    let room = try SmallTheater()
    try #require(try await room.start())
    let elsewhere = try TemporaryFolder()
    try elsewhere.write("devices.json", Array("{\"devices\": nonsense}".utf8))
    let file = room.path("devices.json")
    func run(_ words: String...) async throws -> Program.Outcome {
      try await Program.run(
        Program.products.appendingPathComponent("theater"), words, environment: room.environment,
        folder: elsewhere.url)
    }
    let check = try await run("config", "check")
    #expect(check.status == 0, "\(check.output)")
    #expect(check.output == "\(file) is fine: the file of the running controller.\n")
    let doctor = try await run("doctor")
    #expect(
      doctor.output.contains("configuration: \(file) (the file of the running controller), 1"),
      "\(doctor.output)")
    let json = try JSON(parsing: Array(try await run("config", "check", "--json").output.utf8))
    #expect(json["file"] == .string(file) && json["errors"] == 0)
    let discover = try await run("discover", "--only", "displays", "--json")
    #expect(
      try JSON(parsing: Array(discover.output.utf8))["configuration"] == .string(file))
    // What is named is judged.
    let named = try await run("config", "check", "devices.json")
    #expect(named.status == 1 && named.output.contains("1 error in devices.json"))
    await room.close()
    let after = try await run("config", "check")
    #expect(after.status == 1)
    #expect(after.output.contains("the file in this folder; no controller runs"), "\(after.output)")
  }

  @Test("errors of any kind are one object on standard error with --json")
  func errorObjects() async throws {
    let room = try SmallTheater()
    let stopped = try await room.theater("films", "--json")
    #expect(stopped.status == 3)
    try #require(try await room.start())
    let token = try #require(try await room.registerOwner().token)
    try Data(token.utf8).write(to: URL(fileURLWithPath: room.path("state/theater/token")))
    chmod(room.path("state/theater/token"), 0o600)
    let outcomes: [(Program.Outcome, String, Int32)] = [
      (stopped, "notRunning", 3),
      (try await room.theater("volume", "loud", "--json"), "wrongUsage", 2),
      (try await room.theater("device", "lamp", "on", "--json"), "notFound", 1),
      (try await room.theater("device", "lights", "dim", "bright", "--json"), "wrongUsage", 2),
      (try await room.theater("scene", "run", "x", "--json"), "notFound", 1),
      (try await room.theater("sessions", "end", "x", "--json"), "failed", 1),
      (try await room.theater("wach", "--json"), "wrongUsage", 2),
    ]
    for (outcome, code, status) in outcomes {
      #expect(outcome.status == status, "\(outcome.errors)")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
      let error = try JSON(parsing: Array(outcome.errors.utf8))["error"]
      #expect(error?["code"] == .string(code), "\(outcome.errors)")
      #expect(error?["message"]?.string?.isEmpty == false)
    }
    let done = try await room.theater("device", "lights", "on", "--json")
    #expect(done.status == 0, "\(done.errors)")
    #expect(try JSON(parsing: Array(done.output.utf8))["confirmation"] == "observed")
    let logout = try await room.theater("logout", "--json")
    #expect(
      try JSON(parsing: Array(logout.output.utf8)) == ["message": "You are logged out."])
    await room.close()
  }

  @Test("a command that waits for the controller shows it at a terminal, and removes the line")
  func waiting() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      kill(room.pid, SIGSTOP)
      defer { kill(room.pid, SIGCONT) }
      try await room.atTerminal("films") { terminal in
        await terminal.expect("Waiting for the controller…")
        await terminal.expect("Waiting for the controller… 1 s")
        kill(room.pid, SIGCONT)
        await terminal.expect("\r\u{1B}[K")
        await terminal.expect("[ended 0] icanon echo")
      }
      let piped = try await room.theater("films")
      #expect(piped.errors.isEmpty && !piped.output.contains("Waiting"))
    }
  }

  @Test("a missing parameter of a scene is answered with the command and its options")
  func sceneUsage() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let outcome = try await room.theater("scene", "run", "watch-film")
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("scene run watch-film --film FILM"), "\(outcome.errors)")
    }
  }

  @Test("without a view, a new password that breaks a rule is refused before its repetition")
  func brokenPassword() async throws {
    try await withLiveController { room in
      let code = try await room.setupCode()
      var environment = room.environment
      environment["TERM"] = "dumb"
      func atDumbTerminal(
        _ words: [String], _ body: (Terminal) async throws -> Void
      ) async throws {
        let terminal = try Terminal(
          Program.products.appendingPathComponent("theater"), words, environment: environment)
        defer { terminal.close() }
        try await body(terminal)
      }
      let register = [
        "register", "--setup-code", code, "--name", "Ann", "--email", "ann@example.org",
      ]
      try await atDumbTerminal(register) { terminal in
        await terminal.expect("Password: ")
        terminal.type("short\r")
        await terminal.expect("15 characters")
        await terminal.expect("[ended 1] icanon echo")
        #expect(!terminal.text.contains("The same again"))
      }
      try await room.registerOwner()
      try await atDumbTerminal(["password", "change"]) { terminal in
        await terminal.expect("Password: ")
        terminal.type("\(room.password)\r")
        await terminal.expect("New password: ")
        terminal.type("short\r")
        await terminal.expect("15 characters")
        await terminal.expect("[ended 1] icanon echo")
        #expect(!terminal.text.contains("The same again"))
      }
    }
  }
}
