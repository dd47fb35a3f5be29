/// Logs a person in: looks at the form first, then asks the service, then keeps the secret. The same
/// steps in the same order, whatever the proof (E4).
package struct Authenticator: Sendable {
  private let service: any LoginService
  private let keeper: any TokenKeeper

  package init(service: some LoginService, keeper: some TokenKeeper) {
    self.service = service
    self.keeper = keeper
  }

  /// - Returns: Who is logged in now; nil where the account wants a code too.
  /// - Throws: `malformed` before anybody is asked; `network`; `refused`; `notKept`.
  package func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoggedIn? {
    if let mistake = credentials.mistake { throw mistake }
    switch try await service.logIn(credentials) {
    case .secondFactorNeeded: return nil
    case .loggedIn(let person, let secret):
      try await keeper.keep(secret)
      return person
    }
  }

  /// Has a code sent with which a person logs in.
  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket {
    try await service.requestCode(for: contact)
  }
}
