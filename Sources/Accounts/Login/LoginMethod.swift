/// The steps in which ways of authentication differ. `Login` fixes their order (E4).
public protocol LoginMethod: Sendable {
  /// The typed or received proof, such as an e-mail address with a password.
  associatedtype Credentials: Sendable

  /// Its word in events and the audit log, such as `password`.
  var name: String { get }

  // Required step

  /// Returns the account that `credentials` belong to, as it was before they were checked.
  /// - Throws: `wrongCredentials` when they belong to none; others when it could not be checked.
  func authenticate(_ credentials: Credentials) async throws(AccountError) -> AccountRecord

  // Steps with a default

  /// Checks the syntax of `credentials`, without I/O. The default accepts everything.
  func validate(_ credentials: Credentials) throws(AccountError)
  /// The e-mail address that `credentials` claim, for rate limiting and the audit log; nil by
  /// default.
  func claim(_ credentials: Credentials) -> EmailAddress?

  // Hooks, empty by default

  /// Runs before authentication; may refuse.
  func willAuthenticate(_ credentials: Credentials) async throws(AccountError)
  /// Runs between authentication and session; may refuse.
  func didAuthenticate(_ proof: AuthenticatedIdentity, by credentials: Credentials)
    async throws(AccountError)
  /// Runs at the end.
  func didLogIn(_ principal: SessionPrincipal) async
  /// Runs after a refusal or failure of any step.
  func didFail(_ error: AccountError, with credentials: Credentials) async
}

extension LoginMethod {
  public func validate(_ credentials: Credentials) throws(AccountError) {}
  public func claim(_ credentials: Credentials) -> EmailAddress? { nil }
  public func willAuthenticate(_ credentials: Credentials) async throws(AccountError) {}
  public func didAuthenticate(_ proof: AuthenticatedIdentity, by credentials: Credentials)
    async throws(AccountError)
  {}
  public func didLogIn(_ principal: SessionPrincipal) async {}
  public func didFail(_ error: AccountError, with credentials: Credentials) async {}
}
