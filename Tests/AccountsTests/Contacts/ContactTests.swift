import AccountTestSupport
import Testing

@testable import Accounts

/// One's own address and number, and the codes that prove them.
@Suite(.fromTerminal) struct ContactTests {
  private let household: Household

  init() throws { household = try Household() }

  private var accountService: AccountService { household.accountService }
  private var code: String { household.sentMessages.code ?? "" }

  @Test("D1 D8 · the code that was sent verifies the address, and across a restart too")
  func verifies() async throws {
    let principal = try await household.ownerLogsIn().principal
    #expect(
      try await accountService.contacts.ownAccount(of: principal).contact.emailVerifiedAt == nil)
    let request = try await accountService.contacts.sendEmailCode(to: nil, by: principal)
    #expect(try household.sentMessages.messages.last?.destination == household.mailbox())
    let later = household.restarted()
    try await later.contacts.confirm(code, of: request.id.text, for: .verifyEmail, by: principal)
    #expect(
      try await later.contacts.ownAccount(of: principal).contact.emailVerifiedAt
        == household.clock.now)
    #expect(try await later.audit.entries(newest: 1).last?.action == .contactVerified)
  }

  @Test("D8 · another person's code verifies nothing")
  func foreignCode() async throws {
    let owner = try await household.ownerLogsIn().principal
    let invitation = try await accountService.invitations.make(by: owner)
    _ = try await accountService.registration.register(.guest(invitation.code.text))
    let ben = try await household.logIn("ben@example.org").principal
    let request = try await accountService.contacts.sendEmailCode(to: nil, by: ben)
    let code = self.code
    let error = await refusalCode { () async throws(AccountError) in
      try await accountService.contacts.confirm(
        code, of: request.id.text, for: .verifyEmail, by: owner)
    }
    #expect(error == .codeExpired)
  }

  @Test(
    "a new address is the account's with its code, for a fresh proof, and shows in open sessions")
  func newAddress() async throws {
    let loggedIn = try await household.ownerLogsIn()
    let request = try await accountService.contacts.sendEmailCode(
      to: "new@example.org", by: loggedIn.principal)
    #expect(
      try await accountService.sessions.resolve(loggedIn.token.text).email == "anna@example.org")
    try await accountService.contacts.confirm(
      code, of: request.id.text, for: .verifyEmail, by: loggedIn.principal)
    #expect(
      try await accountService.sessions.resolve(loggedIn.token.text).email == "new@example.org")
    _ = try await household.logIn("new@example.org")
    household.clock.advance(301)
    let stale = try await accountService.sessions.resolve(loggedIn.token.text)
    let error = await refusalCode { () async throws(AccountError) in
      try await accountService.contacts.sendEmailCode(to: "third@example.org", by: stale)
    }
    #expect(error == .proofNeeded)
  }

  @Test("tells that an address is taken only to a person who can read messages there")
  func taken() async throws {
    let owner = try await household.ownerLogsIn().principal
    let invitation = try await accountService.invitations.make(by: owner)
    _ = try await accountService.registration.register(.guest(invitation.code.text))
    let ben = try await household.logIn("ben@example.org").principal
    let mail = try await accountService.contacts.sendEmailCode(to: "anna@example.org", by: ben)
    let mailCode = code
    let foreign = await refusalCode { () async throws(AccountError) in
      try await accountService.contacts.confirm(
        mailCode, of: mail.id.text, for: .verifyEmail, by: ben)
    }
    #expect(foreign == .taken)
    for (index, principal) in [owner, ben].enumerated() {
      let request = try await accountService.contacts.sendPhoneCode(
        to: "+49 30 1234567", by: principal)
      let code = self.code
      let error = await refusalCode { () async throws(AccountError) in
        try await accountService.contacts.confirm(
          code, of: request.id.text, for: .verifyPhone, by: principal)
      }
      #expect(error == (index == 0 ? nil : .taken))
    }
    #expect(
      try await accountService.contacts.ownAccount(of: owner).contact.phone?.text == "+49301234567")
    #expect(try await accountService.contacts.ownAccount(of: ben).contact.phone == nil)
  }

  @Test("D9 · a failed delivery is reported to the waiting request")
  func undelivered() async throws {
    let principal = try await household.ownerLogsIn().principal
    household.sentMessages.fail(with: .deliveryFailed("it rains", hint: "Wait."))
    let error = await refusalCode { () async throws(AccountError) in
      try await accountService.contacts.sendEmailCode(to: nil, by: principal)
    }
    #expect(error == .deliveryFailed)
  }
}
