import Foundation
import Synchronization

/// Who is logged in: opens sessions, tells whom a token belongs to, and ends them at once.
package final class Sessions: Sendable {
  private let store: any SessionStore
  private let lifetime: SessionLifetime
  private let clock: WallClock
  private let steady: SteadyClock
  private let random: RandomSource
  private let cache: Mutex<SessionCache>

  /// How many sessions an account or guest pass has at once; another one ends the oldest.
  static let mostOfOneHolder = 20

  package init(
    store: any SessionStore, lifetime: SessionLifetime = .standard, clock: WallClock = .system,
    steady: SteadyClock = .system, random: RandomSource = .system
  ) {
    self.store = store
    self.lifetime = lifetime
    self.clock = clock
    self.steady = steady
    self.random = random
    cache = Mutex(SessionCache(lifetime: lifetime))
  }

  /// Opens a session with a new token; drops from the store what has ended.
  /// - Parameter ended: told whose session it was, for each that was one too many.
  /// - Throws: `wrongCredentials` where the account is entered with another password or factor by
  ///   now; `storageFull` or `storageFailed`; then there is no session.
  package func open(
    for proof: AuthenticatedIdentity, ended: (SessionPrincipal) -> Void = { _ in }
  ) async throws(AccountError) -> LoggedIn {
    try await open(.account(proof.account), provenBy: proof.record, ended: ended)
  }

  /// Opens a guest's session; else as above.
  func open(
    with pass: GuestPass, ended: (SessionPrincipal) -> Void
  ) async throws(AccountError) -> LoggedIn {
    try await open(.guest(pass), provenBy: nil, ended: ended)
  }

  /// Whose token this is; counts as a use of the session. Costs no query while the session is in
  /// use.
  /// - Throws: `notLoggedIn` for anything but a token of a living session; `storageFailed`.
  package func resolve(_ token: String) async throws(AccountError) -> SessionPrincipal {
    guard let token = SessionToken(token) else { throw .notLoggedIn }
    return try await resolve(token.digest)
  }

  /// Whose token this is, and when that ends; asking is no use of the session.
  /// - Throws: `notLoggedIn`; `storageFailed`.
  func look(_ token: String) async throws(AccountError) -> (SessionPrincipal, SessionEnd) {
    guard let digest = SessionToken(token)?.digest else { throw .notLoggedIn }
    let found = try await find(digest) { $0.look(digest, at: $1) }
    let end = SessionEnd(
      day: lifetime.end(of: found.session), steady: lifetime.steadyEnd(of: found.session))
    return (found.principal, end)
  }

  /// Notes that the person proved again who they are, and gives the session a new token in the
  /// place of `token`, which opens nothing any more.
  /// - Throws: `notLoggedIn` where the session has ended meanwhile or is another person's;
  ///   `storageFull` or `storageFailed`, then nothing has changed.
  func renew(_ token: String, for proof: AuthenticatedIdentity) async throws(AccountError)
    -> LoggedIn
  {
    guard let old = SessionToken(token)?.digest else { throw .notLoggedIn }
    guard try await resolve(old).account == proof.account.id else { throw .notLoggedIn }
    let token = SessionToken(from: random)
    try await store.replaceDigest(old, with: token.digest, proven: steady.now())
    cache.withLock { _ = $0.endForgotten(old) }
    return LoggedIn(token: token, principal: try await resolve(token.digest))
  }

  /// Ends the session of `token`: no request that begins from now on is accepted.
  /// - Parameter ended: told once whose session it was, before the store is.
  /// - Throws: `notLoggedIn`; `storageFull` or `storageFailed` where the store could not be told:
  ///   then the session has ended for the running controller, and the call is to be repeated.
  package func revoke(
    _ token: String, ended: (SessionPrincipal) -> Void = { _ in }
  ) async throws(AccountError) {
    guard let digest = SessionToken(token)?.digest else { throw .notLoggedIn }
    if !cache.withLock({ $0.awaitsStore(digest) }) {
      var principal = try await resolve(digest)
      // Of several calls at once, one ends it; the others are told that there is no session.
      while !cache.withLock({ $0.revoke(digest) }) { principal = try await resolve(digest) }
      ended(principal)
    }
    try await store.deleteSessions([digest])
    cache.withLock { $0.forget(digest) }
  }

  /// The living sessions of a person, the newest first.
  func list(of holder: AccountID) async throws(AccountError) -> [Session] {
    let now = moment()
    return try await store.sessions(of: holder).map(\.session)
      .filter { !lifetime.isOver($0, at: now) }
      .sorted { $0.openedAt > $1.openedAt }
  }

  /// When a session ends unless it is used before.
  func end(of session: Session) -> Date { lifetime.end(of: session) }

  /// Ends those sessions of a person that `isChosen` picks: no request that begins from now on is
  /// accepted.
  /// - Parameter ended: told whose session it was, for each, before the store is.
  /// - Returns: how many ended.
  /// - Throws: `storageFull` or `storageFailed` where the store could not be told: then they have
  ///   ended for the running controller, and the call is to be repeated.
  @discardableResult
  func end(
    of holder: AccountID, where isChosen: (SessionID) -> Bool, ended: (SessionPrincipal) -> Void
  ) async throws(AccountError) -> Int {
    let chosen = try await store.sessions(of: holder).filter { isChosen($0.session.id) }
    let fresh = cache.withLock { cache in chosen.filter { cache.end($0.digest) } }
    for each in fresh { ended(principal(of: each.session)) }
    try await store.deleteSessions(chosen.map(\.digest))
    cache.withLock { cache in for each in chosen { cache.forget(each.digest) } }
    return fresh.count
  }

  /// The holder has changed: the next request of each of their sessions sees how.
  func changed(_ holder: AccountID) {
    cache.withLock { $0.drop(holder) }
  }

  /// The store has forgotten sessions together with what they hung on.
  /// - Parameter ended: told whose session it was, for each.
  func gone(_ gone: [Session], ended: (SessionPrincipal) -> Void) {
    cache.withLock { cache in for session in gone { cache.drop(session.holder.id) } }
    for session in gone { ended(principal(of: session)) }
  }

  /// Drops from the store what has ended; for the start of the controller.
  func dropEnded() async throws(AccountError) {
    try await store.deleteSessions(lifetime.cutoff(at: clock.now()))
  }

  private func open(
    _ holder: SessionHolder, provenBy record: AccountRecord?, ended: (SessionPrincipal) -> Void
  ) async throws(AccountError) -> LoggedIn {
    let now = moment()
    let token = SessionToken(from: random)
    let session = Session(
      id: SessionID(from: random), holder: holder, openedAt: now.day, opened: now.steady,
      lastSeenAt: now.day, proven: now.steady, origin: .current)
    let digest = token.digest
    let generation = cache.withLock(\.generation)
    let tooMany = try await store.insert(
      session, digest: digest, provenBy: record, dropping: lifetime.cutoff(at: now.day),
      most: Self.mostOfOneHolder)
    let fresh = cache.withLock { cache in
      cache.insert(session, for: digest, generation: generation)
      return tooMany.filter { cache.endForgotten($0.digest) }
    }
    for each in fresh { ended(principal(of: each.session)) }
    return LoggedIn(token: token, principal: principal(of: session))
  }

  private func resolve(_ digest: SecretDigest) async throws(AccountError) -> SessionPrincipal {
    let found = try await find(digest) { $0.use(digest, at: $1) }
    if found.write { await writeLastSeen(of: found.session) }
    return found.principal
  }

  private func find(
    _ digest: SecretDigest, _ ask: (inout SessionCache, Moment) -> SessionCache.Answer
  ) async throws(AccountError) -> (principal: SessionPrincipal, session: Session, write: Bool) {
    while true {
      switch cache.withLock({ ask(&$0, moment()) }) {
      case .valid(let principal, let session, let write): return (principal, session, write)
      case .ended:
        throw .notLoggedIn
      case .unknown(let generation):
        guard let session = try await store.session(digest: digest) else { throw .notLoggedIn }
        cache.withLock { $0.insert(session, for: digest, generation: generation) }
      }
    }
  }

  private func writeLastSeen(of session: Session) async {
    do throws(AccountError) {
      try await store.setLastSeen(session.lastSeenAt, of: session.id)
    } catch {
      // A full disk keeps nobody out; the next minute tries again.
    }
  }

  private func principal(of session: Session) -> SessionPrincipal {
    SessionPrincipal(session, expires: lifetime.end(of: session))
  }

  private func moment() -> Moment { Moment(day: clock.now(), steady: steady.now()) }
}
