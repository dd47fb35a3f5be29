import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct CodeTests {
  private static let escape = "\u{1B}"
  private static let eraseAll = "\u{15}"

  /// The seconds of the countdown, as they were shown. A busy machine skips some.
  private static func countdown(in terminal: Terminal) -> [Int] {
    terminal.text.matches(of: /Send again in 0:(\d\d)/).compactMap { Int($0.output.1) }
  }

  @Test(
    "D1 D6 D8 · in a terminal the countdown ticks, survives a wrong code, and Escape leads back")
  func verify() async throws {
    try await withCodes { room in
      try await room.atTerminal("verify", "email") { terminal in
        await terminal.expect("A code of 6 digits was sent to ann@example.org.")
        let code = try await room.code(after: 0)
        #expect(await eventually { Set(Self.countdown(in: terminal)).count > 1 })
        terminal.type(other(than: code))
        await terminal.expect("✗ The code is wrong. Look at the newest message; 4 tries are left.")
        await terminal.expect("Send again in 0:")
        let seconds = Self.countdown(in: terminal)
        #expect(seconds == seconds.sorted(by: >), "the wrong code has begun it anew")
        #expect((20...30).contains(seconds.first ?? 0), "\(seconds)")
        terminal.type("1")
        await terminal.expect("4 tries are left.")
        terminal.type(Self.eraseAll + Self.escape)
        await terminal.expect("Where should the code be sent?")
        await terminal.expect("ann@example.org_")
        // The same address again: no second code is sent, and the first stays valid.
        terminal.type("\r")
        await terminal.expect("A code of 6 digits")
        terminal.type(code)
        await terminal.expect("ann@example.org is verified.")
        await terminal.expect("[ended 0] icanon echo")
        #expect(room.codes == [code])
      }
      // A channel without delivery ends the command with the reason.
      try await room.atTerminal("verify", "phone", "+49 30 1234567") { terminal in
        await terminal.expect("This theater cannot send text messages.")
        await terminal.expect("[ended 1] icanon echo")
      }
    }
  }

  @Test("E4 A6 · a login by code and a password reset work key by key in a terminal")
  func loginAndReset() async throws {
    try await withCodes { room in
      let verified = try await room.pipingCode("verify", "email")
      #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
      try await room.expect("logout")
      try await room.atTerminal("login", "--by-code") { terminal in
        await terminal.expect("Where should the code be sent?")
        terminal.type("ann@example.org\r")
        await terminal.expect("sent to ann@example.org, if an account has verified it.")
        let code = try await room.code(after: 1)
        terminal.type(other(than: code))
        await terminal.expect("4 tries are left.")
        terminal.type(code)
        await terminal.expect("You are logged in, Ann.")
        await terminal.expect("[ended 0] icanon echo")
      }
      #expect(try await room.expect("whoami").contains("Ann"))

      let password = "another evening with friends"
      try await room.atTerminal("password", "reset", "--email", "ann@example.org") { terminal in
        await terminal.expect("Send again in 0:2")
        let code = try await room.code(after: 2)
        terminal.type(other(than: code))
        await terminal.expect("4 tries are left.")
        terminal.type(code)
        // The accepted code stays valid while passwords are refused.
        await terminal.expect("Your new password")
        await terminal.expect("· at least 8 characters")
        terminal.type("short\r")
        await terminal.expect("✗ Make the password at least 8 characters long.")
        await terminal.expect("· Advice: at least 15 characters")
        for _ in 1...2 { terminal.type("\(Self.eraseAll)four lions\r") }
        await terminal.expect("✗ This password does not meet the rules.")
        terminal.type("\(password)\r\(password)!\r")
        await terminal.expect("✗ The two passwords differ.")
        terminal.type("\(password)\r\(password)\r")
        await terminal.expect("Your password is set")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains(password))
      }
      try await room.expect(
        "login", "--email", "ann@example.org", "--password-stdin", input: password + "\n")
    }
  }

  @Test("C4 C7 · changing a password shows the live rules, with those about name and address")
  func change() async throws {
    try await withCodes { room in
      let password = "another evening with friends"
      try await room.atTerminal("password", "change") { terminal in
        await terminal.expect("Password: ")
        try #require(await eventually { !terminal.isOrdinary })
        terminal.type("\(room.password)\r")
        await terminal.expect("Your new password")
        await terminal.expect("· at least 15 characters")
        // The rules know the account's address.
        terminal.type("ann@example.org")
        await terminal.expect("· without your name and address")
        terminal.type("\(Self.eraseAll)\(password)\r\(password)\r")
        await terminal.expect("Your password is changed; your other sessions have ended.")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains(password))
      }
      try await room.expect(
        "login", "--email", "ann@example.org", "--password-stdin", input: password + "\n")
    }
  }

  @Test("D1 E4 · without a terminal codes are read as lines: to verify, to log in, to reset")
  func piped() async throws {
    try await withCodes { room in
      let verified = try await room.pipingCode("verify", "email")
      #expect(verified.status == 0, "\(verified.errors)")
      #expect(verified.output.contains("It is good for 10 minutes; another can be sent after 30"))
      #expect(verified.output.contains("ann@example.org is verified."))
      // A second request is refused with the time of the next one.
      let early = try await room.theater("verify", "email", input: "123456\n")
      #expect(early.status == 1 && early.errors.contains("Ask again in"), "\(early.errors)")

      try await room.expect("logout")
      let login = try await room.pipingCode("login", "--by-code", "--email", "ann@example.org")
      #expect(login.output.contains("You are logged in, Ann."), "\(login.errors)")
      #expect(try await room.expect("whoami").contains("Ann"))

      let password = "another evening with friends"
      let reset = try await room.pipingCode(
        "password", "reset", "--email", "ann@example.org", "--password-stdin", lines: [password])
      #expect(reset.status == 0, "\(reset.output)\(reset.errors)")
      try await room.expect(
        "login", "--email", "ann@example.org", "--password-stdin", input: password + "\n")

      // An unknown address gets the same answer to a wrong code.
      let nobody = try await room.theater(
        "login", "--by-code", "--email", "eve@example.org", input: "123456\n")
      #expect(nobody.status == 1)
      #expect(nobody.errors.contains("4 tries are left."), "\(nobody.errors)")
      let short = try await room.theater(
        "login", "--by-code", "--email", "bob@example.org", input: "123\n")
      #expect(short.errors.contains("The code has 6 digits."), "\(short.errors)")
      #expect(
        try await room.theater("login", "--by-code", input: "nonsense\n").errors
          .contains("Type the e-mail address"))
    }
  }

  @Test("D1 · without terminal and input no code is requested, and the error says what to do")
  func nobody() async throws {
    try await withCodes { room in
      for outcome in [
        try await room.theater("verify", "email"),
        try await room.theater("verify", "phone", "+49 30 1234567"),
        try await room.theater("login", "--by-code", input: "ann@example.org\n"),
        try await room.theater("password", "reset", "--email", "ann@example.org"),
        try await room.theater("totp", "enrol"),
        try await Program.run(
          URL(fileURLWithPath: "/bin/sh"),
          [
            "-c", #""$0" verify email </dev/null"#,
            Program.products.appendingPathComponent("theater").path,
          ],
          environment: room.environment),
      ] {
        #expect(outcome.status == 2, "\(outcome.output)")
        #expect(outcome.errors.contains("nothing can supply the code"), "\(outcome.errors)")
        #expect(outcome.errors.contains("Run it at a terminal"), "\(outcome.errors)")
      }
      #expect(room.codes.isEmpty)
      // No delay was started either.
      #expect(try await room.pipingCode("verify", "email").status == 0)
    }
  }
}
