import AccountTestSupport
import Testing

@testable import Accounts

/// Logging in with a code that was sent.
@Suite(.fromTerminal) struct CodeLoginTests {
  private let household: Household

  init() throws { household = try Household() }

  private var accountService: AccountService { household.accountService }
  private var code: String { household.sentMessages.code ?? "" }

  @Test("E4 D1 · a code to the verified address logs in through the same skeleton, once")
  func codeLogin() async throws {
    _ = try await household.verifiedOwner()
    let events = accountService.events.subscribe()
    let request = try await accountService.sendLoginCode(to: household.mailbox("ANNA@example.org"))
    let credentials = CodeCredentials(request: request.id.text, code: code)
    let loggedIn = try await accountService.logIn(credentials)
    #expect(try await accountService.sessions.resolve(loggedIn.token.text).name == "Anna")
    #expect(await events.first { _ in true }?.isLogin(of: loggedIn.principal, by: "code") == true)
    let again = await refusalCode { () async throws(AccountError) in
      try await accountService.logIn(credentials)
    }
    #expect(again == .codeExpired)
    #expect(!"\(credentials)".contains(code))
  }

  @Test(
    "D1 · sends a code to the address as it was verified, whatever the spelling of the request",
    arguments: ["ANNA@example.org", "anna@EXAMPLE.org", "AnnA@eXample.Org"])
  func spelling(typed: String) async throws {
    let owner = try await household.verifiedOwner().principal
    let sent = household.sentMessages.messages.count
    _ = try await accountService.sendLoginCode(to: household.mailbox(typed))
    household.clock.advance(60)
    _ = try await accountService.passwords.beginReset(household.mailbox(typed))
    // A code does not change the account's spelling either: the new spelling is not proven.
    household.clock.advance(600)
    let own = try await accountService.contacts.sendEmailCode(to: typed, by: owner)
    try await accountService.contacts.confirm(code, of: own.id.text, for: .verifyEmail, by: owner)
    let messages = household.sentMessages.messages.dropFirst(sent)
    #expect(messages.map(\.destination.text) == Array(repeating: "anna@example.org", count: 3))
    #expect(messages.allSatisfy { !$0.text.contains("@") })
    #expect(
      try await accountService.contacts.ownAccount(of: owner).account.email.text
        == "anna@example.org")
  }

  @Test("E4 · a code to a verified phone logs in too")
  func phoneLogin() async throws {
    let principal = try await household.ownerLogsIn().principal
    let phone = CodeDestination.phone(try PhoneNumber("+49 30 1234567"))
    let request = try await accountService.contacts.sendPhoneCode(to: "+49301234567", by: principal)
    try await accountService.contacts.confirm(
      code, of: request.id.text, for: .verifyPhone, by: principal)
    let login = try await accountService.sendLoginCode(to: phone)
    #expect(household.sentMessages.messages.last?.destination == phone)
    let loggedIn = try await accountService.logIn(
      CodeCredentials(request: login.id.text, code: code))
    #expect(loggedIn.principal.account == principal.account)
  }

  @Test("a login by code asks for the second factor too; wrong ones use the code up")
  func secondFactorByCode() async throws {
    let principal = try await household.verifiedOwner().principal
    let (secret, _) = try await household.enrolled(principal)
    let request = try await accountService.sendLoginCode(to: household.mailbox())
    func logIn(_ factor: String?) async -> AccountError? {
      let credentials = CodeCredentials(request: request.id.text, code: code, secondFactor: factor)
      return await refusal { () async throws(AccountError) in
        try await accountService.logIn(credentials)
      }
    }
    #expect(await logIn(nil) == .secondFactorNeeded)
    #expect(await logIn("000000") == .secondFactorWrong)
    #expect(await logIn(household.totp(secret)) == nil)
    household.clock.advance(60)
    let next = try await accountService.sendLoginCode(to: household.mailbox())
    for _ in 0..<5 {
      let wrong = CodeCredentials(request: next.id.text, code: code, secondFactor: "000000")
      _ = await refusal { () async throws(AccountError) in try await accountService.logIn(wrong) }
    }
    let right = CodeCredentials(
      request: next.id.text, code: code, secondFactor: household.totp(secret))
    let usedUp = await refusalCode { () async throws(AccountError) in
      try await accountService.logIn(right)
    }
    #expect(usedUp == .codeExpired)
  }
}
