import AccountTestSupport
import Foundation
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct RegistrationTests {
  private let household: Household

  init() throws { household = try Household() }

  @Test("E7 · the code on the console makes the first owner, who then logs in")
  func owner() async throws {
    let account = try await household.registerOwner()
    #expect(account.role == .owner)
    #expect(account.name.text == "Anna")
    #expect(try await household.accountService.open() == nil)
    #expect(try await household.logIn().principal.account == account.id)
  }

  @Test("N-A7 · two services in one process share neither accounts nor sessions")
  func twoServices() async throws {
    let other = try Household()
    let here = try await household.ownerLogsIn()
    #expect(try await other.accountService.open() != nil, "it has no account")
    #expect(
      await refusal { () async throws(AccountError) in
        try await other.accountService.logIn(
          PasswordCredentials(email: "anna@example.org", password: Household.password))
      } == .wrongCredentials)
    #expect(
      await refusal { () async throws(AccountError) in
        try await other.accountService.sessions.resolve(here.token.text)
      } == .notLoggedIn)
  }

  @Test("E7 N-A1 · the setup code works once, and only while there is no account")
  func setupOnce() async throws {
    let code = try #require(try await household.accountService.open())
    _ = try await household.accountService.registration.register(.owner(code.text))
    let again = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(
        .owner(code.text, email: "mallory@example.org"))
    }
    #expect(again == .setupClosed)
    #expect(try await household.accountService.open() == nil)
    #expect(try await household.restarted().open() == nil)
  }

  @Test("E7 N-A1 · a restart before the first registration voids the old setup code")
  func newCodeAfterRestart() async throws {
    let old = try #require(try await household.accountService.open())
    let accountService = household.restarted()
    let new = try #require(try await accountService.open())
    let error = await refusal { () async throws(AccountError) in
      try await accountService.registration.register(.owner(old.text))
    }
    #expect(error == .codeInvalid)
    #expect(try await accountService.registration.register(.owner(new.text)).role == .owner)
  }

  @Test("E7 N-E3 · without a valid code no account is made, and no answer tells who has one")
  func noCode() async throws {
    try await household.registerOwner()
    for typed in ["AAAA-AAAA-AAAA-AAAA-AAAA", "nonsense"] {
      let answers = [
        await refusal { () async throws(AccountError) in
          try await household.accountService.registration.register(
            .guest(typed, email: "anna@example.org"))
        },
        await refusal { () async throws(AccountError) in
          try await household.accountService.registration.register(
            .guest(typed, email: "nobody@example.org"))
        },
      ]
      #expect(answers == [.codeInvalid, .codeInvalid])
    }
    let empty = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(.guest("  "))
    }
    #expect(empty == .empty(.code))
  }

  @Test("E7 · an empty or bad field is named, and the code stays good")
  func badFields() async throws {
    let code = try #require(try await household.accountService.open()).text
    let requests: [(RegistrationRequest, AccountError.Code, AccountError.Field)] = [
      (.owner(code, name: " "), .empty, .name),
      (.owner(code, email: ""), .empty, .email),
      (.owner(code, email: "anna"), .malformed, .email),
      (.owner(code, password: ""), .empty, .password),
      (.owner(code, password: "too short"), .tooShort, .password),
      (.owner(code, password: String(repeating: "x", count: 257)), .tooLong, .password),
    ]
    for (request, expected, field) in requests {
      let error = await refusal { () async throws(AccountError) in
        try await household.accountService.registration.register(request)
      }
      #expect(error?.code == expected)
      #expect(error?.field == field)
    }
    #expect(try await household.accountService.registration.register(.owner(code)).role == .owner)
  }

  @Test("E7 · of 50 registrations with the setup code at once, one makes the owner")
  func race() async throws {
    let code = try #require(try await household.accountService.open()).text
    let outcomes = await withTaskGroup { group in
      for index in 0..<50 {
        group.addTask {
          await refusal { () async throws(AccountError) in
            try await household.accountService.registration.register(
              .owner(code, email: "person\(index)@example.org"))
          }
        }
      }
      return await group.reduce(into: [AccountError?]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == nil } == 1)
    #expect(outcomes.count { $0 == .setupClosed } == 49)
  }

  @Test("E7 · a full disk refuses with its own message, and the code stays good")
  func storageFull() async throws {
    let full = AccountError(.storageFull, message: "full", hint: "free")
    let code = try #require(try await household.accountService.open()).text
    await household.store.failWrites(with: full)
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(.owner(code))
    }
    #expect(error == full)
    await household.store.failWrites(with: nil)
    #expect(try await household.accountService.registration.register(.owner(code)).role == .owner)
  }
}

@Suite(.fromTerminal) struct InvitationTests {
  private let household: Household

  init() throws { household = try Household() }

  @Test("E7 · an owner's invitation admits one member, once")
  func once() async throws {
    let owner = try await household.ownerLogsIn().principal
    let issued = try await household.accountService.invitations.make(by: owner)
    #expect(issued.invitation.expires == household.clock.now.addingTimeInterval(7 * 86_400))
    #expect(
      try await household.accountService.registration.register(.guest(issued.code.text)).role
        == .member
    )
    let again = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(
        .guest(issued.code.text, email: "carl@example.org"))
    }
    #expect(again == .codeInvalid)
  }

  @Test("E7 · an invitation expires after 7 days, also across a restart")
  func expiry() async throws {
    let owner = try await household.ownerLogsIn().principal
    let issued = try await household.accountService.invitations.make(by: owner)
    household.clock.advance(7 * 86_400 - 1)
    let late = try await household.accountService.invitations.make(by: owner)
    household.clock.advance(1)
    let accountService = household.restarted()
    #expect(try await accountService.open() == nil)
    let error = await refusal { () async throws(AccountError) in
      try await accountService.registration.register(.guest(issued.code.text))
    }
    #expect(error == .codeInvalid)
    #expect(try await accountService.registration.register(.guest(late.code.text)).role == .member)
  }

  @Test("E7 · only an owner invites")
  func membersDoNot() async throws {
    let owner = try await household.ownerLogsIn().principal
    let issued = try await household.accountService.invitations.make(by: owner)
    _ = try await household.accountService.registration.register(.guest(issued.code.text))
    let member = try await household.logIn("ben@example.org").principal
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.invitations.make(by: member)
    }
    #expect(error?.code == .forbidden)
  }

  @Test("E7 · the holder of an invitation is told that an address is taken, and keeps the code")
  func taken() async throws {
    let owner = try await household.ownerLogsIn().principal
    let code = try await household.accountService.invitations.make(by: owner).code.text
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(
        .guest(code, email: "ANNA@example.org"))
    }
    #expect(error == .taken)
    #expect(try await household.accountService.registration.register(.guest(code)).role == .member)
  }

  @Test("E7 · an invitation is no setup code, nor the other way round")
  func kinds() async throws {
    let setup = try #require(try await household.accountService.open()).text
    let asInvitation = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(.guest(setup))
    }
    #expect(asInvitation == .codeInvalid)
    _ = try await household.accountService.registration.register(.owner(setup))
    let invitation = try await household.accountService.invitations.make(
      by: household.logIn().principal
    )
    .code.text
    let asSetup = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(
        .owner(invitation, email: "ben@example.org"))
    }
    #expect(asSetup == .setupClosed)
  }
}
