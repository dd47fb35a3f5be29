import Foundation
import JSON
import TestSupport
import Testing

/// A living room whose codes stand in the controller's log, with its owner at home.
private func withCodes(_ body: (LivingRoom) async throws -> Void) async throws {
  try await withLivingRoom(arrange: { configuration, _ in
    configuration.set("accounts", at: [], ["demo": true, "delivery": ["email": "log"]])
  }) { room in
    try await room.moveIn()
    try await body(room)
  }
}

extension LivingRoom {
  /// The codes in the log, the oldest first.
  fileprivate var codes: [String] {
    log.matches(of: /\b(\d{6}) is your code/).map { String($0.output.1) }
  }

  /// The code that comes after so many.
  fileprivate func code(after count: Int) async throws -> String {
    _ = await eventually { self.codes.count > count }
    return try #require(codes.last)
  }

  /// Types a command that takes the code as its first line, when it comes, and then more lines.
  fileprivate func pipingCode(
    _ words: String..., lines: [String] = []
  ) async throws -> Program.Outcome {
    let found = #"grep -o '[0-9]\{6\} is your code' log"#
    let script = """
      (until [ $(\(found) | wc -l) -gt \(codes.count) ]; do sleep 0.05; done
      \(found) | tail -n 1 | cut -c 1-6
      \(lines.map { "echo '\($0)'" }.joined(separator: "\n"))) | "$0" "$@"
      """
    return try await Program.run(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", script, Program.products.appendingPathComponent("theater").path] + words,
      environment: environment, folder: folder)
  }
}

private func other(than code: String) -> String { code == "000000" ? "000001" : "000000" }

@Suite(.serialized) struct CodeTests {
  private static let escape = "\u{1B}"
  private static let eraseAll = "\u{15}"

  @Test("D1 D6 D8 · at a terminal: the countdown ticks, a wrong code leaves it, and the way back")
  func verify() async throws {
    try await withCodes { room in
      try await room.atTerminal("verify", "email") { terminal in
        await terminal.expect("A code of 6 digits was sent to ann@example.org.")
        let code = try await room.code(after: 0)
        await terminal.expect("Send again in 0:29")
        await terminal.expect("Send again in 0:28")
        terminal.type(other(than: code))
        await terminal.expect("✗ The code is wrong. Look at the newest message; 4 tries are left.")
        #expect(!terminal.news.contains("Send again in 0:30"))
        await terminal.expect("Send again in 0:2")
        terminal.type("1")
        await terminal.expect("4 tries are left.")
        terminal.type(Self.eraseAll + Self.escape)
        await terminal.expect("Where is the code to go?")
        await terminal.expect("ann@example.org_")
        // It is on its way already: no other is sent, and this one is still good.
        terminal.type("\r")
        await terminal.expect("A code of 6 digits")
        terminal.type(code)
        await terminal.expect("ann@example.org is verified.")
        await terminal.expect("[ended 0] icanon echo")
        #expect(room.codes == [code])
      }
      // What nobody can send ends at once, with its reason.
      try await room.atTerminal("verify", "phone", "+49 30 1234567") { terminal in
        await terminal.expect("This theater cannot send text messages.")
        await terminal.expect("[ended 1] icanon echo")
      }
    }
  }

  @Test("E4 A6 · logging in by code goes through the login screen; resetting a password too")
  func loginAndReset() async throws {
    try await withCodes { room in
      let verified = try await room.pipingCode("verify", "email")
      #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
      try await room.expect("logout")
      try await room.atTerminal("login", "--by-code") { terminal in
        await terminal.expect("Where is the code to go?")
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
        // The code is right and stays good while the password is not.
        for (first, second, reason) in [
          (password, password + "!", "The two passwords differ."), ("short", "short", "15"),
        ] {
          await terminal.expect("Password: ")
          _ = await eventually { !terminal.isOrdinary }
          terminal.type("\(first)\r")
          await terminal.expect("The same again: ")
          _ = await eventually { !terminal.isOrdinary }
          terminal.type("\(second)\r")
          await terminal.expect(reason)
        }
        await terminal.expect("Password: ")
        _ = await eventually { !terminal.isOrdinary }
        terminal.type("\(password)\r")
        await terminal.expect("The same again: ")
        _ = await eventually { !terminal.isOrdinary }
        terminal.type("\(password)\r")
        await terminal.expect("Your password is set")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains(password))
      }
      try await room.expect(
        "login", "--email", "ann@example.org", "--password-stdin", input: password + "\n")
    }
  }

  @Test("D1 E4 · without a terminal codes are lines: verify, log in, reset, and a wrong one")
  func piped() async throws {
    try await withCodes { room in
      let verified = try await room.pipingCode("verify", "email")
      #expect(verified.status == 0, "\(verified.errors)")
      #expect(verified.output.contains("It is good for 10 minutes; another can be sent after 30"))
      #expect(verified.output.contains("ann@example.org is verified."))
      // Another one so soon is refused, and says when.
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

      // Nobody has that address; a wrong code sounds the same.
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

  @Test("D3 · the first code of an app can be mistyped; and by code the app is asked for as well")
  func secondFactor() async throws {
    func totp(_ secret: String, late: Int) async throws -> String {
      let program = """
        import base64,hashlib,hmac,struct,sys,time
        key = base64.b32decode(sys.argv[1] + "=" * (-len(sys.argv[1]) % 8))
        step = struct.pack(">Q", (int(time.time()) + int(sys.argv[2])) // 30)
        digest = hmac.new(key, step, hashlib.sha1).digest()
        start = digest[-1] & 15
        print(f"{(struct.unpack('>I', digest[start:start+4])[0] & 0x7fffffff) % 10**6:06}")
        """
      return try await Program.tool("python3", "-c", program, secret, "\(late)").output
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
    try await withCodes { room in
      #expect(try await room.pipingCode("verify", "email").status == 0)
      var secret = ""
      try await room.atTerminal("totp", "enrol") { terminal in
        await terminal.expect("type into it: ")
        await terminal.expect("The code that it shows now")
        secret = try #require(
          terminal.text.firstMatch(of: /type into it: ([A-Z2-7]+)/)?.output.1
        ).description
        let code = try await totp(secret, late: 0)
        terminal.type(other(than: code))
        await terminal.expect("✗ ")
        terminal.type(try await totp(secret, late: 0))
        await terminal.expect("Your second factor is active")
        await terminal.expect("[ended 0] icanon echo")
      }
      try await room.expect("logout")
      try await room.atTerminal("login", "--by-code", "--email", "ann@example.org") { terminal in
        await terminal.expect("Send again in")
        terminal.type(try await room.code(after: 1))
        await terminal.expect("The account is guarded by a second factor.")
        terminal.type("000000")
        await terminal.expect("✗ ")
        // The code of this half minute may be used up; its neighbour is as good.
        terminal.type(try await totp(secret, late: 30))
        await terminal.expect("You are logged in, Ann.")
        await terminal.expect("[ended 0] icanon echo")
      }
    }
  }
}
