import AccountTestSupport
import Testing

@testable import Accounts

/// A second factor of one's own: making it, being asked for it.
@Suite(.fromTerminal) struct OwnFactorTests {
  private let household: Household

  init() throws { household = try Household() }

  private var accountService: AccountService { household.accountService }

  @Test("A9 E1 · a second factor ends the sessions that have not proven it")
  func factorEndsOthers() async throws {
    let other = try await household.ownerLogsIn()
    let own = try await household.logIn("anna@example.org")
    _ = try await household.enrolled(own.principal)
    #expect(
      try await accountService.sessions.resolve(own.token.text).account == own.principal.account)
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await accountService.sessions.resolve(other.token.text)
      }
        == .notLoggedIn)
  }

  @Test(
    "with a second factor the right password alone opens no session, and the error names the missing code"
  )
  func secondFactor() async throws {
    let principal = try await household.ownerLogsIn().principal
    let (secret, recovery) = try await household.enrolled(principal)
    func logIn(_ code: String?, _ password: String = Household.password) async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await accountService.logIn(
          PasswordCredentials(email: "anna@example.org", password: password, secondFactor: code))
      }
    }
    #expect(await logIn(nil) == .secondFactorNeeded)
    #expect(await logIn(nil, "not the password") == .wrongCredentials)
    #expect(await logIn("000000") == .secondFactorWrong)
    #expect(AccountError.secondFactorWrong.code == .wrongCredentials)
    let shown = household.totp(secret)
    #expect(await logIn(shown, "not the password") == .wrongCredentials)
    #expect(await logIn(shown) == nil)
    #expect(await logIn(shown) == .secondFactorWrong)
    #expect(await logIn(recovery[0].text) == nil)
    #expect(try await accountService.contacts.ownAccount(of: principal).recoveryCodesLeft == 9)
  }

  @Test("a second factor and its codes are made and removed by a proof no older than five minutes")
  func proofs() async throws {
    let principal = try await household.ownerLogsIn().principal
    household.clock.advance(301)
    let enrolment = await refusalCode { () async throws(AccountError) in
      try await accountService.secondFactor.enrol(by: principal)
    }
    #expect(enrolment == .proofNeeded)
    let renewal = await refusalCode { () async throws(AccountError) in
      try await accountService.secondFactor.renewRecoveryCodes(by: principal)
    }
    #expect(renewal == .proofNeeded)
    let removal = await refusalCode { () async throws(AccountError) in
      try await accountService.secondFactor.remove(password: Household.password, by: principal)
    }
    #expect(removal == .proofNeeded)
    let phone = await refusalCode { () async throws(AccountError) in
      try await accountService.contacts.sendPhoneCode(to: "+49301234567", by: principal)
    }
    #expect(phone == .proofNeeded)
  }
}
