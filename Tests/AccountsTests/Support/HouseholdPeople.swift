import AccountTestSupport

@testable import Accounts

/// Steps that prepare accounts, sessions and second factors for a test.
extension Household {
  /// Registers and logs in a person whom `owner` invited.
  func invited(
    by owner: LoggedIn, _ email: String, as role: AccountRole = .member
  ) async throws -> LoggedIn {
    let code = try await accountService.invitations.make(by: owner.principal, role: role).code
    _ = try await accountService.registration.register(.guest(code.text, email: email))
    return try await logIn(email)
  }

  /// Returns the current user of a session.
  func now(_ loggedIn: LoggedIn) async throws(AccountError) -> SessionPrincipal {
    try await accountService.sessions.resolve(loggedIn.token.text)
  }

  /// Returns whether the token of a session is refused.
  func isRefused(_ loggedIn: LoggedIn, at accountService: AccountService? = nil) async -> Bool {
    await refusal { () async throws(AccountError) in
      try await (accountService ?? self.accountService).sessions.resolve(loggedIn.token.text)
    } == .notLoggedIn
  }

  /// Registers and logs in the owner, and verifies the owner's e-mail address.
  func verifiedOwner() async throws -> LoggedIn {
    let loggedIn = try await ownerLogsIn()
    let request = try await accountService.contacts.sendEmailCode(to: nil, by: loggedIn.principal)
    try await accountService.contacts.confirm(
      sentMessages.code ?? "", of: request.id.text, for: .verifyEmail, by: loggedIn.principal)
    clock.advance(60)
    return loggedIn
  }

  /// Adds and confirms a second factor. Returns its secret and the recovery codes.
  func enrolled(_ principal: SessionPrincipal) async throws -> ([UInt8], [EntryCode]) {
    let secret = try Base32.bytes(try await accountService.secondFactor.enrol(by: principal).secret)
    let codes = try await accountService.secondFactor.confirm(totp(secret), by: principal)
    clock.advance(90)
    return (secret, codes)
  }

  /// Returns the current code of an authenticator app with this secret.
  func totp(_ secret: [UInt8]) -> String { TOTP.code(secret, step: TOTP.step(at: clock.now)) }

  /// Returns an e-mail address as the destination of codes.
  func mailbox(_ address: String = "anna@example.org") throws -> CodeDestination {
    .email(try EmailAddress(address))
  }
}

/// Returns the code of the error that `body` throws; nil if it succeeds.
func refusalCode<Value>(
  _ body: () async throws(AccountError) -> Value
) async -> AccountError.Code? {
  await refusal(body)?.code
}
