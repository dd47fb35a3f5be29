import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@Suite(.serialized) struct TerminalTests {
  private static let controlC = "\u{3}"
  private static let controlT = "\u{14}"
  private static let controlZ = "\u{1A}"
  private static let escape = "\u{1B}"

  @Test("E6 E7 C7 A11 · the wizard works key by key in a terminal and leads to the login screen")
  func wizard() async throws {
    try await withLivingRoom { room in
      let code = await room.setupCode()
      try await room.atTerminal("register", "--setup-code", code) { terminal in
        await terminal.expect("step 1 of 3")
        terminal.type("Eve\r")
        await terminal.expect("step 2 of 3")
        terminal.type(Self.escape)
        await terminal.expect("step 1 of 3")
        terminal.type("Ann Ünal\r")
        await terminal.expect("step 2 of 3")
        terminal.type("ann@\r")
        await terminal.expect("✗ Type the e-mail address")
        terminal.type("example.org\r")
        await terminal.expect("step 3 of 3")
        terminal.type("sesame")
        await terminal.expect("••••••_")
        #expect(!terminal.text.contains("sesame"))
        terminal.type(Self.controlT)
        await terminal.expect("sesame_")
        terminal.type(Self.controlT + "\u{15}\(room.password)\r\(room.password)x\r")
        await terminal.expect("The two passwords differ")
        terminal.type("\(room.password)\r\(room.password)\r")
        await terminal.expect("Welcome, Ann Ünal! You are registered as owner.")
        await terminal.expect("Log in")
        terminal.type("not the password\r")
        await terminal.expect("✗ ")
        terminal.type("\u{15}\(room.password)\r")
        await terminal.expect("You are logged in, Ann Ünal.")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains(room.password))
      }
      #expect(try await room.expect("whoami").contains("Ann Ünal <ann@example.org>, owner"))
    }
  }

  @Test("E6 · Ctrl-C, SIGTERM, Ctrl-D and Ctrl-Z restore the terminal")
  func restored() async throws {
    try await withLivingRoom { room in
      let code = await room.setupCode()
      func wizard(_ body: (Terminal) async throws -> Void) async throws {
        try await room.atTerminal("register", "--setup-code", code) { terminal in
          await terminal.expect("step 1 of 3")
          #expect(!terminal.isOrdinary)
          try await body(terminal)
          #expect(terminal.isOrdinary)
          // Cursor and line wrapping are on again.
          #expect(terminal.text.contains("\u{1B}[?7h\u{1B}[?25h"))
        }
      }
      try await wizard { terminal in
        terminal.type("An\(Self.controlC)")
        await terminal.expect("[ended 130] icanon echo")
      }
      for signal in [SIGTERM, SIGHUP, SIGQUIT] {
        try await wizard { terminal in
          kill(try #require(terminal.command), signal)
          await terminal.expect("[ended \(128 + signal)] icanon echo")
        }
      }
      try await wizard { terminal in
        terminal.type("\u{4}")
        await terminal.expect("[ended 1] icanon echo")
      }
      try await wizard { terminal in
        terminal.type("An")
        await terminal.expect("An_")
        terminal.type(Self.controlZ)
        await terminal.expect("[ended 148] icanon echo")
        #expect(terminal.isOrdinary)
        terminal.type("fg\r")
        // The view is drawn again with the typed text, and reads keys.
        await terminal.expect("An_")
        #expect(!terminal.isOrdinary)
        terminal.type("n")
        await terminal.expect("Ann_")
        terminal.type(Self.controlC)
        await terminal.expect("[again 130] icanon echo")
      }
    }
  }

  @Test("E6 · Ctrl-C at a hidden prompt restores the terminal")
  func hiddenPrompt() async throws {
    try await withLivingRoom { room in
      _ = await room.setupCode()
      var environment = room.environment
      // A dumb terminal gets prompts instead of views.
      environment["TERM"] = "dumb"
      let terminal = try Terminal(
        Program.products.appendingPathComponent("theater"),
        ["login", "--email", "ann@example.org"], environment: environment)
      defer { terminal.close() }
      await terminal.expect("Password: ")
      _ = await eventually { !terminal.isOrdinary }
      terminal.type("half a pass\(Self.controlC)")
      await terminal.expect("[ended 130] icanon echo")
      #expect(terminal.isOrdinary && !terminal.text.contains("half"))
    }
  }

  @Test("E6 E7 · without a terminal the wizard reads one line for each answer")
  func piped() async throws {
    try await withLivingRoom { room in
      let code = await room.setupCode()
      let long = room.password
      for (lines, reason) in [
        ([code, "Ann", "nonsense"], "e-mail address"),
        ([code, "Ann", "ann@example.org", "short", "short"], "at least 15 characters"),
        ([code, "Ann", "ann@example.org", long, long + "x"], "The two passwords differ"),
        (["AAAA-AAAA", "Ann", "ann@example.org", long, long], "code"),
      ] {
        let outcome = try await room.theater(
          "register", input: lines.joined(separator: "\n") + "\n")
        #expect(outcome.status == 1, "\(outcome.output)")
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
      }
      let short = try await room.theater("register", input: "\(code)\nAnn\n")
      #expect(short.status == 2)
      #expect(short.errors.contains("E-mail address"))

      let answers = [code, "Ann", "ann@example.org", long, long].joined(separator: "\n")
      #expect(try await room.expect("register", input: answers).contains("next: "))
      #expect(try await room.theater("login", input: "ann@example.org\nwrong\n").status == 1)
      try await room.expect("login", input: "ann@example.org\n\(long)\n")
      #expect(try await room.expect("whoami").contains("Ann"))
    }
  }

  @Test(
    "C1 C2 C8 · the wizard shows the configured rules, and asks the server for those that need it")
  func configuredRules() async throws {
    try await withLivingRoom(arrange: { configuration, _ in
      configuration.set(
        "accounts", at: [],
        [
          "rules": [
            "name": "household", "version": 2,
            "fields": [
              "password": [
                "rules": [
                  [
                    "rule": "minLength", "length": 20, "statement": "{length} characters or more",
                    "message": "Give it {length} characters.",
                  ],
                  ["rule": "digit"],
                ]
              ],
              "email": [
                "rules": [
                  ["rule": "email"],
                  [
                    "rule": "asked", "question": "emailFree",
                    "message": "Type another {field}: this one has an account.",
                  ],
                ]
              ],
            ],
          ]
        ])
    }) { room in
      let code = await room.setupCode()
      try await room.atTerminal("register", "--setup-code", code, "--name", "Ann") { terminal in
        await terminal.expect("step 2 of 3")
        terminal.type("ann@example.org")
        await terminal.expect("2 of 2")
        terminal.type("\r")
        await terminal.expect("step 3 of 3")
        terminal.type("1234567890123456789")
        await terminal.expect("1 of 2")
        await terminal.expect("· 20 characters or more")
        terminal.type("0")
        await terminal.expect("2 of 2")
        terminal.type(Self.controlC)
        await terminal.expect("[ended 130] icanon echo")
      }
      try await room.moveIn()
      let invitation = try #require(try await room.json("invite")["code"]?.string)
      try await room.atTerminal("register", "--invitation", invitation, "--name", "Bob") {
        terminal in
        await terminal.expect("step 2 of 3")
        // Enter before the server's answer: the step waits, then shows the reason.
        terminal.type("Ann@example.org\r")
        await terminal.expect("✗ Type another e-mail address: this one has an account.")
        terminal.type("\u{15}bob@example.org\r")
        await terminal.expect("step 3 of 3")
        terminal.type(Self.controlC)
        await terminal.expect("[ended 130] icanon echo")
      }
      // Lines wait for the answer too; without a valid code there is none.
      let taken = try await room.theater(
        "register", "--invitation", invitation, input: "Bob\nann@example.org\n")
      #expect(taken.status == 1 && taken.errors.contains("this one has an account"))
      let stranger = try await room.theater(
        "register", "--invitation", "AAAA-AAAA-AAAA-AAAA-AAAA", input: "Bob\nann@example.org\n")
      #expect(stranger.status == 1 && stranger.errors.contains("mistyped, used or expired"))
      let bob = try await room.theater(
        "register", "--invitation", invitation,
        input: "Bob\nbob@example.org\n\(room.password)1\n\(room.password)1\n")
      #expect(bob.status == 0, "\(bob.output)\(bob.errors)")
    }
  }
}
