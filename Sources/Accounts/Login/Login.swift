import Foundation

/// That somebody proved to be the owner of an account, when, and how (E1). Only `Login` makes one,
/// and only with one does a session open.
package struct AuthenticatedIdentity: Sendable {
  /// The account as it was when the proof was checked: a proof holds for no other password or factor.
  let record: AccountRecord
  package var account: Account { record.account }
  /// The name of the method that accepted the proof.
  package let method: String
  package let provenAt: Date

  fileprivate init(record: AccountRecord, method: String, provenAt: Date) {
    self.record = record
    self.method = method
    self.provenAt = provenAt
  }
}

/// How far a login is, for whoever shows progress (E2).
package enum LoginStage: Int, Sendable, CaseIterable {
  case validating, authenticating, openingSession, notifying
}

/// What a person gets who logged in.
package struct LoggedIn: Sendable {
  /// The secret for further requests: for that person's front end alone.
  package let token: SessionToken
  package let principal: SessionPrincipal
  /// What makes the front end a known device; nil where it is one.
  package var device: DeviceToken?
}

/// Logging in, as a template method (E4): validate → authenticate → open a session → notify, with
/// hooks before, between and after, guarded against guessing. `Method` fills the steps in; the
/// skeleton is a function of a structure, so nobody can override it.
package struct Login<Method: LoginMethod>: Sendable {
  private let method: Method
  private let sessions: Sessions
  private let events: AccountEvents
  private let audit: AuditLog
  private let throttle: RateLimiter
  private let clock: WallClock

  /// - Parameters:
  ///   - sessions: where the session opens.
  ///   - events: who is told.
  ///   - audit: where logins and refusals are written down.
  ///   - throttle: what slows guessing down, whatever the method.
  init(
    _ method: Method, sessions: Sessions, events: AccountEvents, audit: AuditLog,
    throttle: RateLimiter, clock: WallClock = .system
  ) {
    self.method = method
    self.sessions = sessions
    self.events = events
    self.audit = audit
    self.throttle = throttle
    self.clock = clock
  }

  /// Logs in. A login that fails or is cancelled leaves no session behind.
  /// - Parameter progress: called at the beginning of each stage.
  /// - Throws: what the step said that refused.
  package func logIn(
    _ credentials: Method.Credentials, progress: @Sendable (LoginStage) -> Void = { _ in }
  ) async throws(AccountError) -> LoggedIn {
    do throws(AccountError) {
      let loggedIn = try await attempt(credentials, progress)
      await audit.record(.login, by: AuditActor(loggedIn.principal), about: method.name)
      return loggedIn
    } catch {
      await refused(error, credentials, .login)
      throw error
    }
  }

  /// Proves again, for the session of `token`, who somebody is: the same steps, but the session
  /// goes on with a new token instead of another one being opened.
  /// - Throws: what the step said that refused; `notLoggedIn` where the proof is another person's.
  package func prove(
    _ credentials: Method.Credentials, renewing token: String
  ) async throws(AccountError) -> LoggedIn {
    do throws(AccountError) {
      let proof = try await proof(by: credentials) { _ in }
      let loggedIn = try await sessions.renew(token, for: proof)
      await audit.record(.proof, by: AuditActor(loggedIn.principal), about: method.name)
      return loggedIn
    } catch {
      await refused(error, credentials, .proof)
      throw error
    }
  }

  private func attempt(
    _ credentials: Method.Credentials, _ progress: @Sendable (LoginStage) -> Void
  ) async throws(AccountError) -> LoggedIn {
    let proof = try await proof(by: credentials, progress)

    progress(.openingSession)
    let device = try await throttle.recognise(proof.account)
    var loggedIn = try await sessions.open(for: proof) { events.publish(.loggedOut($0)) }
    loggedIn.device = device

    progress(.notifying)
    events.publish(.loggedIn(loggedIn.principal, by: proof.method))
    await method.didLogIn(loggedIn.principal)
    return loggedIn
  }

  private func proof(
    by credentials: Method.Credentials, _ progress: @Sendable (LoginStage) -> Void
  ) async throws(AccountError) -> AuthenticatedIdentity {
    progress(.validating)
    try method.validate(credentials)
    return try await throttle.guarding(method.claim(credentials)) { () throws(AccountError) in
      try await authenticate(credentials, progress)
    }
  }

  private func authenticate(
    _ credentials: Method.Credentials, _ progress: @Sendable (LoginStage) -> Void
  ) async throws(AccountError) -> AuthenticatedIdentity {
    try await method.willAuthenticate(credentials)

    progress(.authenticating)
    let record = try await method.authenticate(credentials)
    let proof = AuthenticatedIdentity(record: record, method: method.name, provenAt: clock.now())
    try await method.didAuthenticate(proof, by: credentials)
    // Nobody waits for the answer any more: a session would have no owner.
    if Task.isCancelled { throw .cancelled }
    return proof
  }

  private func refused(
    _ error: AccountError, _ credentials: Method.Credentials, _ deed: AuditDeed
  ) async {
    await method.didFail(error, with: credentials)
    let claimed = method.claim(credentials).map { AuditActor(claiming: $0) }
    await audit.refused(error, deed, by: claimed, about: method.name)
  }
}
