import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized) struct LoginTests {
  @Test("F5 A10 N-A3 · commands need a login, whose token only its user reads, until the logout")
  func accountService() async throws {
    try await withLiveController { room in
      let code = try await room.setupCode()
      #expect(try await room.theater("status").status == 4)
      #expect(try await room.theater("watch", "anything").status == 4)
      try await room.registerOwner()
      try await room.expect("status")
      let token = room.folder.appendingPathComponent("state/theater/token").path
      let mode = try FileManager.default.attributesOfItem(atPath: token)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      // The code was for one account.
      #expect(
        try await room.theater(
          "register", "--setup-code", code, "--name", "Eve", "--email", "eve@example.org",
          "--password-stdin", input: room.password + "\n"
        ).status == 1)
      try await room.expect("logout")
      #expect(try await room.theater("status").status == 4)
      #expect(!FileManager.default.fileExists(atPath: token))
    }
  }

  @Test("F5 · an invitation registers one person")
  func invitation() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let invitation = try await room.json("invite")
      let code = try #require(invitation["code"]?.string)
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

  @Test("F5 · exit codes tell scripts the kind of failure")
  func exitCodes() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
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
