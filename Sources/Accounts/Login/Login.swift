import Foundation

/// A successful authentication: who, when and how (E1). Only `Login` creates it.
public struct AuthenticatedIdentity: Sendable, Hashable {
  /// The account that was proven.
  public let account: Account
  /// The name of the method that accepted the proof.
  public let method: String
  /// When the method accepted the proof.
  public let provenAt: Date

  fileprivate init(account: Account, method: String, provenAt: Date) {
    self.account = account
    self.method = method
    self.provenAt = provenAt
  }
}

/// What `Sessions` requires to open a session of an account: the proof, with the credentials that were checked. It
/// leaves the login no further. A guest's session needs a pass instead.
struct CheckedIdentity: Sendable {
  let identity: AuthenticatedIdentity
  /// The account as it was when the proof was checked; a changed password or factor voids the proof.
  let record: AccountRecord

  fileprivate init(_ record: AccountRecord, method: String, provenAt: Date) {
    self.record = record
    identity = AuthenticatedIdentity(
      account: record.account, method: method, provenAt: provenAt)
  }
}

/// The stages of a login, for progress displays (E2).
public enum LoginStage: Int, Sendable, CaseIterable {
  case validating, authenticating, openingSession, notifying
}

/// The result of a login.
public struct LoggedIn: Sendable {
  /// Authenticates further requests; for that person's front end alone.
  public let token: SessionToken
  /// The user of the new session, with role and limits.
  public let principal: SessionPrincipal
  /// Makes the front end a known device; nil when it is one.
  public var device: DeviceToken?
}

/// The template method of a login (E4): validate → authenticate → open a session → notify, with hooks
/// before, between and after, and rate-limited. `Method` supplies the steps; as the skeleton is a
/// method of a structure, no method can override it.
public struct Login<Method: LoginMethod>: Sendable {
  let method: Method
  private let sessions: Sessions
  private let events: AccountEvents
  private let audit: AuditLog
  private let rateLimiter: RateLimiter
  private let clock: WallClock

  init(
    _ method: Method, sessions: Sessions, events: AccountEvents, audit: AuditLog,
    rateLimiter: RateLimiter, clock: WallClock = .system
  ) {
    self.method = method
    self.sessions = sessions
    self.events = events
    self.audit = audit
    self.rateLimiter = rateLimiter
    self.clock = clock
  }

  /// Logs in. A login that fails or is cancelled leaves no session behind.
  /// - Parameter progress: Called at the beginning of each stage.
  /// - Throws: The error of the step that failed.
  public func logIn(
    _ credentials: Method.Credentials, progress: @Sendable (LoginStage) -> Void = { _ in }
  ) async throws(AccountError) -> LoggedIn {
    do throws(AccountError) {
      let loggedIn = try await attempt(credentials, progress)
      await audit.record(.login, by: AuditActor(loggedIn.principal), about: method.name)
      return loggedIn
    } catch {
      await recordFailure(error, credentials, .login)
      throw error
    }
  }

  /// Authenticates the user of a session again by the same steps; the session gets a new token.
  /// - Throws: The error of the step that failed; `notLoggedIn` when the proof is another person's.
  public func prove(
    _ credentials: Method.Credentials, renewing token: String
  ) async throws(AccountError) -> LoggedIn {
    do throws(AccountError) {
      let proof = try await proof(by: credentials) { _ in }
      let loggedIn = try await sessions.renew(token, for: proof)
      await audit.record(.proof, by: AuditActor(loggedIn.principal), about: method.name)
      // Last, because it ends the streams of the old token: the client should get the new one soon after.
      events.publish(.proven(loggedIn.principal))
      return loggedIn
    } catch {
      await recordFailure(error, credentials, .proof)
      throw error
    }
  }

  /// Logs in a person who has registered in the same request: the new password needs no second check,
  /// which could fail (`busy`) after the codes were used up.
  func logIn(registered record: AccountRecord) async throws(AccountError) -> LoggedIn {
    let proof = CheckedIdentity(record, method: method.name, provenAt: clock.now())
    let loggedIn = try await openSession(for: proof) { _ in }
    await audit.record(.login, by: AuditActor(loggedIn.principal), about: method.name)
    return loggedIn
  }

  private func attempt(
    _ credentials: Method.Credentials, _ progress: @Sendable (LoginStage) -> Void
  ) async throws(AccountError) -> LoggedIn {
    try await openSession(for: proof(by: credentials, progress), progress)
  }

  private func openSession(
    for proof: CheckedIdentity, _ progress: @Sendable (LoginStage) -> Void
  ) async throws(AccountError) -> LoggedIn {
    progress(.openingSession)
    let device = try await rateLimiter.register(proof.record.account)
    var loggedIn = try await sessions.open(for: proof)
    loggedIn.device = device

    progress(.notifying)
    events.publish(.loggedIn(loggedIn.principal, by: .account(proof.identity)))
    await method.didLogIn(loggedIn.principal)
    return loggedIn
  }

  private func proof(
    by credentials: Method.Credentials, _ progress: @Sendable (LoginStage) -> Void
  ) async throws(AccountError) -> CheckedIdentity {
    progress(.validating)
    try method.validate(credentials)
    return try await rateLimiter.limiting(method.claim(credentials)) { () throws(AccountError) in
      try await authenticate(credentials, progress)
    }
  }

  private func authenticate(
    _ credentials: Method.Credentials, _ progress: @Sendable (LoginStage) -> Void
  ) async throws(AccountError) -> CheckedIdentity {
    try await method.willAuthenticate(credentials)

    progress(.authenticating)
    let record = try await method.authenticate(credentials)
    let proof = CheckedIdentity(record, method: method.name, provenAt: clock.now())
    try await method.didAuthenticate(proof.identity, by: credentials)
    // The caller was cancelled: the token of a new session would be lost.
    if Task.isCancelled { throw .cancelled }
    return proof
  }

  private func recordFailure(
    _ error: AccountError, _ credentials: Method.Credentials, _ action: AuditAction
  ) async {
    await method.didFail(error, with: credentials)
    let claimed = method.claim(credentials).map { AuditActor(claiming: $0) }
    await audit.recordRefusal(error, action, by: claimed, about: method.name)
  }
}
