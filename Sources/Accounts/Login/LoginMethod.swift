/// One way to prove who one is: the steps that differ between ways. The order of steps is
/// `Login`'s, and a method cannot change it (E4).
package protocol LoginMethod: Sendable {
  /// What the person hands over.
  associatedtype Credentials: Sendable

  /// The word for this way in proofs and events, such as `password`.
  var name: String { get }

  // Steps that every method has of its own

  /// Finds the account that `credentials` prove, as it was before they were checked.
  /// - Throws: `wrongCredentials` where they prove none; others where it could not be found out.
  func authenticate(_ credentials: Credentials) async throws(AccountError) -> AccountRecord

  // Steps with a default

  /// Checks the form of `credentials` before anybody is asked. The default passes everything.
  func validate(_ credentials: Credentials) throws(AccountError)
  /// The e-mail address that `credentials` claim, where guesses are counted and for the audit log.
  /// The default claims none.
  func claim(_ credentials: Credentials) -> EmailAddress?

  // Hooks, empty by default

  /// Before anybody is asked; may refuse.
  func willAuthenticate(_ credentials: Credentials) async throws(AccountError)
  /// Between proof and session; may refuse.
  func didAuthenticate(_ proof: AuthenticatedIdentity, by credentials: Credentials)
    async throws(AccountError)
  /// After everything.
  func didLogIn(_ principal: SessionPrincipal) async
  /// After a refusal or failure of any step.
  func didFail(_ error: AccountError, with credentials: Credentials) async
}

extension LoginMethod {
  package func validate(_ credentials: Credentials) throws(AccountError) {}
  package func claim(_ credentials: Credentials) -> EmailAddress? { nil }
  package func willAuthenticate(_ credentials: Credentials) async throws(AccountError) {}
  package func didAuthenticate(_ proof: AuthenticatedIdentity, by credentials: Credentials)
    async throws(AccountError)
  {}
  package func didLogIn(_ principal: SessionPrincipal) async {}
  package func didFail(_ error: AccountError, with credentials: Credentials) async {}
}
