import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct SecondFactorTests {
  /// The code of an authenticator app `late` seconds from now.
  private func totp(_ secret: String, late: Int) async throws -> String {
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

  /// Enrols an app at a terminal, with a first code that is mistyped.
  /// - Returns: The app's secret, and a recovery code.
  private func enrol(_ room: LiveController) async throws -> (secret: String, recovery: String) {
    var found = ("", "")
    try await room.atTerminal("totp", "enrol") { terminal in
      await terminal.expect("type into it: ")
      await terminal.expect("The code that it shows now")
      let secret = try #require(
        terminal.text.firstMatch(of: /type into it: ([A-Z2-7]+)/)?.output.1
      ).description
      terminal.type(other(than: try await totp(secret, late: 0)))
      await terminal.expect("✗ ")
      terminal.type(try await totp(secret, late: 0))
      await terminal.expect("Your second factor is active")
      await terminal.expect("[ended 0] icanon echo")
      let recovery = try #require(
        terminal.text.firstMatch(of: /not shown again:\s+(\S+)/)?.output.1)
      found = (secret, recovery.description)
    }
    return found
  }

  @Test(
    "D3 · a mistyped first code can be corrected, and a login by code asks for the app's code too")
  func login() async throws {
    try await withCodes { room in
      #expect(try await room.pipingCode("verify", "email").status == 0)
      let secret = try await enrol(room).secret
      try await room.expect("logout")
      try await room.atTerminal("login", "--by-code", "--email", "ann@example.org") { terminal in
        await terminal.expect("Send again in")
        terminal.type(try await room.code(after: 1))
        await terminal.expect("The account has a second factor.")
        terminal.type("000000")
        await terminal.expect("✗ ")
        // The code of this half minute may be used; the next one is accepted too.
        terminal.type(try await totp(secret, late: 30))
        await terminal.expect("You are logged in, Ann.")
        await terminal.expect("[ended 0] icanon echo")
      }
    }
  }

  @Test("D3 D4 · a proof asks for the app's code, and again after a wrong one")
  func proof() async throws {
    try await withCodes { room in
      let (secret, recovery) = try await enrol(room)
      func prove(_ code: (Terminal) async throws -> Void) async throws {
        try await room.atTerminal("prove") { terminal in
          await terminal.expect("Password: ")
          try #require(await eventually { !terminal.isOrdinary })
          terminal.type("\(room.password)\r")
          await terminal.expect("Code from your authenticator app, or a recovery code")
          await terminal.expect("Ctrl-C: stop")
          try await code(terminal)
          await terminal.expect("Your identity is proven for five minutes.")
          await terminal.expect("[ended 0] icanon echo")
        }
      }
      try await prove { terminal in
        terminal.type("000000")
        await terminal.expect("✗ ")
        // A complete code is submitted without Enter.
        terminal.type(try await totp(secret, late: 30))
      }
      try await prove { $0.type("\(recovery)\r") }
      let piped = try await room.theater(
        "prove", "--password-stdin", input: "\(room.password)\nnonsense\n")
      #expect(piped.status == 1, "\(piped.output)\(piped.errors)")
    }
  }
}
