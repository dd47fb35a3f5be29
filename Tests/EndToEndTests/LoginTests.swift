import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized) struct LoginTests {
  @Test("F5 A10 · nothing works before login, everything after it, nothing after logout")
  func accountService() async throws {
    try await withLivingRoom { room in
      let code = await room.setupCode()
      #expect(try await room.theater("status").status == 4)
      #expect(try await room.theater("watch", "anything").status == 4)
      try await room.moveIn()
      try await room.expect("status")
      // The code was for one account.
      #expect(
        try await room.theater(
          "register", "--setup-code", code, "--name", "Eve", "--email", "eve@example.org",
          "--password-stdin", input: room.password + "\n"
        ).status == 1)
      try await room.expect("logout")
      #expect(try await room.theater("status").status == 4)
    }
  }

  @Test("F5 · a second person comes by an invitation that works once")
  func invitation() async throws {
    try await withLivingRoom { room in
      try await room.moveIn()
      let invitation = try await room.json("invite")
      let code = try #require((invitation["code"] ?? invitation["invitation"])?.string)
      try await room.expect("logout")
      try await room.expect(
        "register", "--invitation", code, "--name", "Bob", "--email", "bob@example.org",
        "--password-stdin", input: room.password + "\n")
      #expect(
        try await room.theater(
          "register", "--invitation", code, "--name", "Eve", "--email", "eve@example.org",
          "--password-stdin", input: room.password + "\n"
        ).status == 1)
      try await room.expect(
        "login", "--email", "bob@example.org", "--password-stdin", input: room.password + "\n")
      #expect(try await room.expect("whoami").contains("Bob"))
    }
  }

  @Test("F5 · exit codes tell a script what is wrong")
  func exitCodes() async throws {
    try await withLivingRoom { room in
      try await room.moveIn()
      #expect(try await room.theater("watch", "no such film").status == 1)
      #expect(try await room.theater("volume", "loud").status == 2)
      #expect(try await room.theater("frobnicate").status == 2)
      await room.crash()
      let outcome = try await room.theater("status")
      #expect(outcome.status == 3)
      #expect(outcome.errors.contains("theater serve"))
    }
  }
}
