import AccountTestSupport

@testable import Accounts

/// Actions of the people of a household before a test begins.
extension Household {
  /// Registers and logs in a person whom `owner` invited.
  func invited(
    by owner: LoggedIn, _ email: String, as role: AccountRole = .member
  ) async throws -> LoggedIn {
    let code = try await accountService.invitations.make(by: owner.principal, role: role).code
    _ = try await accountService.registration.register(.guest(code.text, email: email))
    return try await logIn(email)
  }

  /// The current user of a session.
  func now(_ loggedIn: LoggedIn) async throws(AccountError) -> SessionPrincipal {
    try await accountService.sessions.resolve(loggedIn.token.text)
  }

  /// Whether a session opens nothing any more.
  func isRefused(_ loggedIn: LoggedIn, at accountService: AccountService? = nil) async -> Bool {
    await refusal { () async throws(AccountError) in
      try await (accountService ?? self.accountService).sessions.resolve(loggedIn.token.text)
    } == .notLoggedIn
  }

  /// The owner, logged in, with a verified address.
  func verifiedOwner() async throws -> LoggedIn {
    let loggedIn = try await ownerLogsIn()
    let request = try await accountService.contacts.sendEmailCode(to: nil, by: loggedIn.principal)
    try await accountService.contacts.confirm(
      box.code ?? "", of: request.id.text, for: .verifyEmail, by: loggedIn.principal)
    clock.advance(60)
    return loggedIn
  }

  /// A confirmed second factor: its secret, and the recovery codes.
  func enrolled(_ principal: SessionPrincipal) async throws -> ([UInt8], [EntryCode]) {
    let secret = try Base32.bytes(try await accountService.secondFactor.enrol(by: principal).secret)
    let codes = try await accountService.secondFactor.confirm(totp(secret), by: principal)
    clock.advance(90)
    return (secret, codes)
  }

  /// The current code of an authenticator app.
  func totp(_ secret: [UInt8]) -> String { TOTP.code(secret, step: TOTP.step(at: clock.now)) }

  /// Where codes go.
  func mailbox(_ address: String = "anna@example.org") throws -> CodeDestination {
    .email(try EmailAddress(address))
  }
}

/// The code of the refusal that `body` ends with; nil where it succeeds.
func refusalCode<Value>(
  _ body: () async throws(AccountError) -> Value
) async -> AccountError.Code? {
  await refusal(body)?.code
}
