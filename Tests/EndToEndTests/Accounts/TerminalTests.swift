import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@Suite(.serialized) struct TerminalTests {
  private static let controlC = "\u{3}"
  private static let controlT = "\u{14}"
  private static let controlZ = "\u{1A}"
  private static let controlN = "\u{E}"
  private static let controlO = "\u{F}"
  private static let controlP = "\u{10}"
  private static let escape = "\u{1B}"
  private static let right = "\u{1B}[C"

  @Test("E6 E7 B8 C7 A11 · the wizard works key by key in a terminal and leads to the login screen")
  func wizard() async throws {
    try await withLiveController { room in
      let code = try await room.setupCode()
      try await room.atTerminal("register", "--setup-code", code) { terminal in
        await terminal.expect("step 1 of 3")
        terminal.type("Ann\r")
        await terminal.expect("step 2 of 3")
        terminal.type("\r")
        await terminal.expect("✗ Type the e-mail address")
        #expect(!terminal.text.contains("has an account already"))
        terminal.type("an\(Self.escape)")
        await terminal.expect("step 1 of 3")
        await terminal.expect("Ann_")
        terminal.type(" Ünal\r")
        await terminal.expect("step 2 of 3")
        await terminal.expect("an_")
        terminal.type("n@\r")
        await terminal.expect("✗ Type the e-mail address")
        terminal.type("example.org\r")
        await terminal.expect("step 3 of 3")
        terminal.type("sesame")
        await terminal.expect("••••••_")
        #expect(!terminal.text.contains("sesame"))
        terminal.type("\r")
        await terminal.expect("✗ ")
        await terminal.expect("15 characters")
        #expect(!terminal.news.contains("▸  repetition"))
        terminal.type(Self.controlT)
        await terminal.expect("sesame_")
        terminal.type(Self.controlT + "\u{15}\(room.password)\r\(room.password)x\r")
        await terminal.expect("The two passwords differ")
        terminal.type("\(room.password)\r\(room.password)\r\r")
        await terminal.expect("✗ Accept this to register.")
        terminal.type(" \r")
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

  /// Stops the controller during `body`, so that its answer comes later on a fast machine too.
  private func withoutAnswer(of room: LiveController, _ body: () async -> Void) async {
    kill(room.pid, SIGSTOP)
    defer { kill(room.pid, SIGCONT) }
    await body()
  }

  /// Types the password, logs in, and waits for the busy state.
  private func logIn(_ terminal: Terminal, _ room: LiveController) async {
    terminal.type(room.password)
    await terminal.expect("[ Log in ]")
    terminal.type("\r")
    await terminal.expect("Logging in…")
  }

  @Test(
    "A3 A5 A12 · the login screen greets, leads to three screens and back, is empty again, and opens the main screen"
  )
  func login() async throws {
    try await withCodes { room in
      try await room.expect("logout")
      try await room.atTerminal("login") { terminal in
        await terminal.expect("Welcome to the home theater.")
        await terminal.expect("( Log in )")
        for (key, title) in [
          (Self.controlN, "Register"), (Self.controlP, "Where should the code be sent?"),
          (Self.controlO, "Where should the code be sent?"),
        ] {
          terminal.type("ann@")
          await terminal.expect("ann@_")
          terminal.type(key)
          await terminal.expect(title)
          await terminal.expect("Esc: back")
          terminal.type(Self.escape)
          await terminal.expect("Welcome to the home theater.")
          await terminal.expect("e-mail address     _")
        }
        terminal.type("ann@\r")
        await terminal.expect("Type the e-mail address like anna@example.org.")
        terminal.type("\u{1B}[Ae")
        await terminal.expect("ann@e_")
        #expect(!terminal.news.contains("Type the e-mail address"))
        terminal.type("xample.org\r")
        await terminal.expect("( Log in )")
        await withoutAnswer(of: room) { await logIn(terminal, room) }
        await terminal.expect("You are logged in, Ann.")
        await terminal.expect("Nothing is on.")
        await terminal.expect("watch TITLE")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.news.contains("Logging in…"))
      }
      #expect(try await room.expect("whoami").contains("Ann"))
    }
  }

  @Test(
    "A15 · a failed login marks each empty field, the cursor in the first; after a refusal the address stays, and a key replaces the password"
  )
  func failedLogin() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      try await room.expect("logout")
      try await room.atTerminal("login") { terminal in
        await terminal.expect("Welcome to the home theater.")
        terminal.type("\r\r")
        await terminal.expect("e-mail address     _  Type the e-mail address")
        await terminal.expect("Type the password")
        // Only the password is empty now.
        terminal.type("ann@example.org\r\r")
        await terminal.expect("password           _  Type the password")
        #expect(!terminal.news.contains("Type the e-mail address"))
        terminal.type("wrong\r")
        await terminal.expect("password           •••••_  typing replaces it")
        await terminal.expect("✗ The e-mail address or the password is wrong.")
        terminal.type("x")
        await terminal.expect("ann@example.org")
        await terminal.expect("password           •_")
        terminal.type("y")
        await terminal.expect("password           ••_")
        #expect(!terminal.news.contains("typing replaces it"))
        terminal.type("\r")
        await terminal.expect("••_  typing replaces it")
        terminal.type("\(room.password)\r")
        await terminal.expect("You are logged in, Ann.")
        await terminal.expect("[ended 0] icanon echo")
      }
    }
  }

  @Test("A12 · from the login screen a forgotten password is replaced, and a code logs in")
  func links() async throws {
    try await withCodes { room in
      #expect(try await room.pipingCode("verify", "email").status == 0)
      try await room.expect("logout")
      let password = "another evening with friends"
      try await room.atTerminal("login") { terminal in
        await terminal.expect("Welcome to the home theater.")
        terminal.type(Self.controlP)
        await terminal.expect("Where should the code be sent?")
        terminal.type("ann@example.org\r")
        await terminal.expect("A code of 6 digits")
        terminal.type(try await room.code(after: 1))
        await terminal.expect("Your new password")
        terminal.type("\(password)\r\(password)\r")
        await terminal.expect("Your password is set; log in with it.")
        await terminal.expect("e-mail address     _")
        terminal.type(Self.controlO)
        await terminal.expect("Where should the code be sent?")
        terminal.type("ann@example.org\r")
        await terminal.expect("A code of 6 digits")
        terminal.type(try await room.code(after: 2))
        await terminal.expect("You are logged in, Ann.")
        await terminal.expect("watch TITLE")
        await terminal.expect("[ended 0] icanon echo")
      }
      try await room.expect("logout")
      try await room.expect(
        "login", "--email", "ann@example.org", "--password-stdin", input: password + "\n")
    }
  }

  @Test("D10 A12 · from the login screen a newcomer registers by code, and the main screen opens")
  func codeRegistration() async throws {
    try await withCodes { room in
      let invitation = try #require(try await room.json("invite")["code"]?.string)
      try await room.expect("logout")
      try await room.atTerminal("login") { terminal in
        await terminal.expect("Welcome to the home theater.")
        terminal.type(Self.controlN)
        await terminal.expect("( Begin )")
        terminal.type("\(invitation)\t\t\(Self.right)")
        await terminal.expect("‹ e-mail address ›")
        terminal.type("\r")
        await terminal.expect("Where should the code be sent?")
        terminal.type("ann@example.org\r")
        await terminal.expect("✗ This e-mail address has an account already.")
        terminal.type("\u{15}ben@example.org\r")
        await terminal.expect("A code of 6 digits was sent to ben@example.org.")
        let code = try await room.code(after: 0)
        terminal.type(other(than: code))
        await terminal.expect("4 tries are left.")
        terminal.type(code)
        await terminal.expect("The code is right.")
        terminal.type("Ben\r\(room.password)\r\(room.password)\r")
        await terminal.expect("[ ] I accept")
        #expect(!terminal.news.contains("[ Register ]"))
        terminal.type(" ")
        await terminal.expect("[ Register ]")
        terminal.type("\r")
        await terminal.expect("You are logged in, Ben.")
        await terminal.expect("watch TITLE")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains(room.password))
      }
      #expect(try await room.expect("whoami").contains("Ben <ben@example.org>, member"))
    }
  }

  @Test("D10 · without a terminal registration by code reads its answers as lines")
  func pipedCodeRegistration() async throws {
    try await withCodes { room in
      let invitation = try #require(try await room.json("invite")["code"]?.string)
      try await room.expect("logout")
      let stranger = try await room.theater(
        "register", "--invitation", "AAAA-AAAA-AAAA-AAAA-AAAA", "--by-code", "--email",
        "ben@example.org", input: "123456\n")
      #expect(stranger.status == 1 && stranger.errors.contains("mistyped, used or expired"))
      // This theater sends no text messages.
      let phone = try await room.theater(
        "register", "--invitation", invitation, "--by-code", "--phone", "+49 170 1234567",
        input: "123456\n")
      #expect(phone.status == 1 && phone.errors.contains("text messages"), "\(phone.errors)")
      let ben = try await room.pipingCode(
        "register", "--invitation", invitation, "--by-code", "--email", "ben@example.org",
        lines: ["Ben", room.password, room.password])
      #expect(ben.status == 0, "\(ben.output)\(ben.errors)")
      #expect(ben.output.contains("You are logged in, Ben."))
      #expect(try await room.expect("whoami").contains("Ben <ben@example.org>, member"))
    }
  }

  @Test("Ctrl-C, SIGTERM, Ctrl-D and Ctrl-Z restore the terminal")
  func restored() async throws {
    try await withLiveController { room in
      let code = try await room.setupCode()
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
        // The mode is set once at the start, and once more after the stop.
        #expect(terminal.text.components(separatedBy: "\u{1B}[?25l\u{1B}[?7l").count == 3)
        terminal.type(Self.controlC)
        await terminal.expect("[again 130] icanon echo")
      }
    }
  }

  @Test("several quick Ctrl-Z restore the terminal at each stop, and the command continues with fg")
  func stoppedAtOnce() async throws {
    try await withLiveController { room in
      let code = try await room.setupCode()
      try await room.atTerminal("register", "--setup-code", code) { terminal in
        await terminal.expect("step 1 of 3")
        let command = try #require(terminal.command)
        for _ in 1...10 {
          // Typed keys would mostly arrive as one signal; these are handled on several threads.
          for _ in 1...20 { kill(command, SIGTSTP) }
          repeat {
            try #require(await eventually { terminal.news.contains(" 148] icanon echo") })
            await terminal.expect(" 148] icanon echo")
            terminal.type("fg\r")
            // A thread that got a signal before the stop, but handles it after, stops the command once more.
            try #require(
              await eventually {
                terminal.news.contains("step 1 of 3") || terminal.news.contains(" 148]")
              })
          } while !terminal.news.contains("step 1 of 3")
          await terminal.expect("step 1 of 3")
        }
      }
    }
  }

  @Test("a command that was continued in the background ends there, and leaves the terminal alone")
  func background() async throws {
    try await withCodes { room in
      try await room.expect("logout")
      try await room.atTerminal("login") { terminal in
        await terminal.expect("( Log in )")
        terminal.type("ann@example.org\r")
        await terminal.expect("( Log in )")
        await withoutAnswer(of: room) {
          await logIn(terminal, room)
          terminal.type(Self.controlZ)
          await terminal.expect("[ended 148] icanon echo")
        }
        // One line, because the command would be stopped if more could be read.
        terminal.type("eval bg; wait %1\r")
        await terminal.expect("You are logged in, Ann.")
        await terminal.expect("[again 0] icanon echo")
      }
    }
  }

  @Test("Ctrl-C at a hidden prompt restores the terminal")
  func hiddenPrompt() async throws {
    try await withLiveController { room in
      _ = try await room.setupCode()
      var environment = room.environment
      // A dumb terminal gets prompts instead of views.
      environment["TERM"] = "dumb"
      let terminal = try Terminal(
        Program.products.appendingPathComponent("theater"),
        ["login", "--email", "ann@example.org"], environment: environment)
      defer { terminal.close() }
      await terminal.expect("Password: ")
      try #require(await eventually { !terminal.isOrdinary })
      terminal.type("half a pass\(Self.controlC)")
      await terminal.expect("[ended 130] icanon echo")
      #expect(terminal.isOrdinary && !terminal.text.contains("half"))
    }
  }

  @Test("E6 E7 · without a terminal the wizard reads one line for each answer")
  func piped() async throws {
    try await withLiveController { room in
      let code = try await room.setupCode()
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
    try await withLiveController(arrange: { configuration, _ in
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
      let code = try await room.setupCode()
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
      try await room.registerOwner()
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
