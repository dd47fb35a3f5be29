import Testing

@testable import Accounts

/// One's own address and number, and the codes that prove them.
@Suite struct ContactTests {
  private let house: Household

  init() throws { house = try Household() }

  private var accountService: AccountService { house.accountService }
  private var code: String { house.box.code ?? "" }

  @Test("D1 D8 · the code that was sent verifies the address, and across a restart too")
  func verifies() async throws {
    let principal = try await house.ownerLogsIn().principal
    #expect(try await accountService.ownAccount(of: principal).contact.emailVerifiedAt == nil)
    let request = try await accountService.sendEmailCode(to: nil, by: principal)
    #expect(try house.box.messages.last?.destination == house.mailbox())
    let later = house.restarted()
    try await later.confirm(code, of: request.id.text, for: .verifyEmail, by: principal)
    #expect(try await later.ownAccount(of: principal).contact.emailVerifiedAt == house.clock.now)
    #expect(try await later.audit.entries(newest: 1).last?.deed == .contactVerified)
  }

  @Test("D8 · somebody else's code verifies nothing")
  func foreignCode() async throws {
    let owner = try await house.ownerLogsIn().principal
    let invitation = try await accountService.invite(by: owner)
    _ = try await accountService.register(.guest(invitation.code.text))
    let ben = try await house.logIn("ben@example.org").principal
    let request = try await accountService.sendEmailCode(to: nil, by: ben)
    let code = self.code
    let error = await refusalCode { () async throws(AccountError) in
      try await accountService.confirm(code, of: request.id.text, for: .verifyEmail, by: owner)
    }
    #expect(error == .codeExpired)
  }

  @Test(
    "a new address is the account's with its code, for a fresh proof, and shows in open sessions")
  func newAddress() async throws {
    let loggedIn = try await house.ownerLogsIn()
    let request = try await accountService.sendEmailCode(
      to: "new@example.org", by: loggedIn.principal)
    #expect(try await accountService.resolve(loggedIn.token.text).email == "anna@example.org")
    try await accountService.confirm(
      code, of: request.id.text, for: .verifyEmail, by: loggedIn.principal)
    #expect(try await accountService.resolve(loggedIn.token.text).email == "new@example.org")
    _ = try await house.logIn("new@example.org")
    house.clock.advance(301)
    let stale = try await accountService.resolve(loggedIn.token.text)
    let error = await refusalCode { () async throws(AccountError) in
      try await accountService.sendEmailCode(to: "third@example.org", by: stale)
    }
    #expect(error == .proofNeeded)
  }

  @Test("an address or number of another account is told as taken only to who reads it")
  func taken() async throws {
    let owner = try await house.ownerLogsIn().principal
    let invitation = try await accountService.invite(by: owner)
    _ = try await accountService.register(.guest(invitation.code.text))
    let ben = try await house.logIn("ben@example.org").principal
    let mail = try await accountService.sendEmailCode(to: "anna@example.org", by: ben)
    let mailCode = code
    let foreign = await refusalCode { () async throws(AccountError) in
      try await accountService.confirm(mailCode, of: mail.id.text, for: .verifyEmail, by: ben)
    }
    #expect(foreign == .taken)
    for (index, principal) in [owner, ben].enumerated() {
      let request = try await accountService.sendPhoneCode(to: "+49 30 1234567", by: principal)
      let code = self.code
      let error = await refusalCode { () async throws(AccountError) in
        try await accountService.confirm(
          code, of: request.id.text, for: .verifyPhone, by: principal)
      }
      #expect(error == (index == 0 ? nil : .taken))
    }
    #expect(try await accountService.ownAccount(of: owner).contact.phone?.text == "+49301234567")
    #expect(try await accountService.ownAccount(of: ben).contact.phone == nil)
  }

  @Test("D9 · a failed delivery is told to who waits for it")
  func undelivered() async throws {
    let principal = try await house.ownerLogsIn().principal
    house.box.fail(with: .deliveryFailed("it rains", hint: "Wait."))
    let error = await refusalCode { () async throws(AccountError) in
      try await accountService.sendEmailCode(to: nil, by: principal)
    }
    #expect(error == .deliveryFailed)
  }
}
