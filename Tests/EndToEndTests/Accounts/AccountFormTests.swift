import Foundation
import JSON
import TestSupport
import Testing

/// The forms of an account in a real terminal with a live controller.
@Suite(.serialized) struct AccountFormTests {
  private static let controlR = "\u{12}"

  private static func user(of room: LiveController) async throws -> JSON {
    let answer = try await room.get("/account")
    return try #require(try JSON(parsing: Array(answer.utf8))["user"])
  }

  @Test(
    "B7 · after the login the form verifies the phone alone by its code, then address and phone together"
  )
  func contacts() async throws {
    try await withCodes(sms: true) { room in
      let number = "+49 170 1234567"
      try await room.expect("logout")
      let stranger = try await room.theater("contacts")
      #expect(stranger.status != 0 && stranger.errors.contains("login"), "\(stranger.errors)")
      try await room.expect(
        "login", "--email", "ann@example.org", "--password-stdin", input: room.password + "\n")
      try await room.atTerminal("contacts") { terminal in
        await terminal.expect("( Send a code )")
        terminal.type("\t\t\(number)")
        await terminal.expect("[ Send a code ]")
        #expect(!terminal.text.contains("[ Register ]"))
        terminal.type(Self.controlR)
        await terminal.expect("A code of 6 digits was sent to \(number).")
        terminal.type(try await room.code(after: 0))
        await terminal.expect("[ Send a code ]")
        #expect(try await Self.user(of: room)["phone"]?.string == "+491701234567")
        // The cursor stands at the phone: the address is two fields above.
        terminal.type("\u{1B}[A\u{1B}[A\u{15}anna@example.org\t\(room.password)")
        await terminal.expect("[ Register ]")
        let sent = room.codes.count
        terminal.type("\t\r")
        await terminal.expect("A code of 6 digits was sent to anna@example.org.")
        terminal.type(try await room.code(after: sent))
        await terminal.expect("anna@example.org and \(number) are verified.")
        await terminal.expect("[ended 0] icanon echo")
        #expect(!terminal.text.contains(room.password))
      }
      let user = try await Self.user(of: room)
      #expect(user["email"]?.string == "anna@example.org" && user["emailVerified"] == true)
    }
  }

  @Test("B8 · a form for a token takes its name, what it may do and a number of days")
  func accessToken() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      try await room.atTerminal("token", "create") { terminal in
        await terminal.expect("( Create )")
        terminal.type("doorbell\rpause\r\u{15}731")
        await terminal.expect("( Create )")
        terminal.type("\r")
        await terminal.expect("✗ Give the number of days as a number from 1 to 730.")
        terminal.type("\u{15}7\r")
        await terminal.expect("and not shown again")
        await terminal.expect("[ended 0] icanon echo")
      }
      let tokens = try await room.json("token", "list")["tokens"]?.array ?? []
      #expect(tokens.map { $0["name"]?.string } == ["doorbell"])
      let outside = try await room.theater("token", "create", "other")
      #expect(outside.status == 2 && outside.errors.contains("--may"), "\(outside.errors)")
    }
  }
}
