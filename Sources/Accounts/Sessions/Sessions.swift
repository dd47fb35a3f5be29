import Foundation
import Synchronization

/// A session in the list of its user's open sessions.
public struct OpenSession: Sendable {
  public let session: Session
  /// The time at which it ends unless it is used before.
  public let expires: Date
  /// Whether it is the session of the request.
  public let isCurrent: Bool
}

/// Opens sessions, resolves their tokens, and ends them at once.
public final class Sessions: Sendable {
  private let store: any SessionStore
  private let lifetime: SessionLifetime
  private let events: AccountEvents
  private let audit: AuditLog
  private let clock: WallClock
  private let steady: SteadyClock
  private let random: RandomSource
  private let cache: Mutex<SessionCache>
  private let monitor: SessionEndMonitor

  /// The time for which a proof of identity counts as recent.
  public static let proofValidity = Duration.seconds(5 * 60)

  init(
    store: any SessionStore, lifetime: SessionLifetime = .standard, events: AccountEvents,
    audit: AuditLog, clock: WallClock = .system, steady: SteadyClock = .system,
    random: RandomSource = .system
  ) {
    self.store = store
    self.lifetime = lifetime
    self.events = events
    self.audit = audit
    self.clock = clock
    self.steady = steady
    self.random = random
    cache = Mutex(SessionCache(lifetime: lifetime))
    monitor = SessionEndMonitor(events: events, clock: clock, steady: steady)
  }

  // MARK: Opening

  /// Opens a session with a new token. Deletes expired sessions from the store, and ends the oldest one of its holder
  /// where there are more than `mostSessions`.
  /// - Throws: `wrongCredentials` when password or second factor have changed since the proof;
  ///   `storageFull` or `storageFailed`; then there is no session.
  func open(for proof: CheckedIdentity) async throws(AccountError) -> LoggedIn {
    try await open(.account(proof.record.account), provenBy: proof.record)
  }

  /// Opens a guest's session.
  /// - Throws: `notLoggedIn` when the pass is gone; `storageFull` or `storageFailed`.
  func open(with pass: GuestPass) async throws(AccountError) -> LoggedIn {
    try await open(.guest(pass), provenBy: nil)
  }

  private func open(
    _ holder: SessionHolder, provenBy record: AccountRecord?
  ) async throws(AccountError) -> LoggedIn {
    let now = moment()
    let token = SessionToken(from: random)
    let session = Session(
      id: SessionID(from: random), holder: holder, openedAt: now.date, opened: now.steady,
      lastSeenAt: now.date, proven: now.steady, origin: .current)
    let digest = token.digest
    let generation = cache.withLock(\.generation)
    // The role or age limit may have changed since the holder was read, so the cache gets the stored session.
    let (stored, surplus) = try await store.insert(
      session, digest: digest, provenBy: record, dropping: lifetime.cutoff(at: now.date),
      most: holder.mostSessions)
    let (ended, logouts) = cache.withLock { cache in
      cache.insert(stored, for: digest, generation: generation)
      let ended = surplus.filter { cache.endDeleted($0.id) }
      return (ended, cache.removeLogouts(of: surplus.map(\.id)))
    }
    publishEnd(of: ended)
    await recordLogouts(logouts)
    // The store accepts writes again.
    await deleteLeftover()
    return LoggedIn(token: token, principal: principal(of: stored))
  }

  // MARK: Resolving

  /// Returns the user of a token's session, and counts as a use of the session. Needs no query of
  /// the store while the session is cached.
  /// - Throws: `notLoggedIn` for anything but the token of an open session; `storageFailed`.
  public func resolve(_ token: String) async throws(AccountError) -> SessionPrincipal {
    guard let token = SessionToken(token) else { throw .notLoggedIn }
    return try await resolve(token.digest)
  }

  /// Checks that the person has proven their identity within the last five minutes. Setting the
  /// time of day does not make a proof younger.
  /// - Throws: `proofNeeded`.
  public func requireFreshProof(_ principal: SessionPrincipal) throws(AccountError) {
    guard steady.now().isWithin(Self.proofValidity, of: principal.proven) else {
      throw .proofNeeded
    }
  }

  /// Records a new proof and replaces the session's token; `token` is void from then on.
  /// - Throws: `notLoggedIn` when the session has ended or is another person's; `storageFull` or
  ///   `storageFailed`, then nothing has changed.
  func renew(
    _ token: String, for proof: CheckedIdentity
  ) async throws(AccountError) -> LoggedIn {
    guard let old = SessionToken(token)?.digest else { throw .notLoggedIn }
    guard try await resolve(old).account == proof.record.account.id else { throw .notLoggedIn }
    let token = SessionToken(from: random)
    try await store.replaceDigest(old, with: token.digest, proven: steady.now())
    cache.withLock { $0.drop(old) }
    return LoggedIn(token: token, principal: try await resolve(token.digest))
  }

  private func resolve(_ digest: SecretDigest) async throws(AccountError) -> SessionPrincipal {
    let found = try await find(digest) { $0.use(digest, at: $1) }
    if found.write { await writeLastSeen(of: found.session) }
    return found.principal
  }

  private func find(
    _ digest: SecretDigest, _ lookUp: (inout SessionCache, Moment) -> SessionCache.Answer
  ) async throws(AccountError) -> (principal: SessionPrincipal, session: Session, write: Bool) {
    while true {
      switch cache.withLock({ lookUp(&$0, moment()) }) {
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
      // A full disk must not end a session. The first use after another `seenInterval` tries again.
    }
  }

  // MARK: Listing and ending

  /// Returns the open sessions of a person, the newest first.
  public func list(of principal: SessionPrincipal) async throws(AccountError) -> [OpenSession] {
    try await openSessions(of: principal.account, current: principal.session)
  }

  /// Returns the open sessions of an account, the newest first.
  /// - Throws: `forbidden`.
  public func list(
    of account: AccountID, for principal: SessionPrincipal
  ) async throws(AccountError) -> [OpenSession] {
    try principal.requireOwner(to: "see other people's sessions")
    return try await openSessions(of: account, current: principal.session)
  }

  private func openSessions(
    of holder: AccountID, current: SessionID
  ) async throws(AccountError) -> [OpenSession] {
    let now = moment()
    return try await store.sessions(of: holder)
      .filter { !lifetime.isOver($0, at: now) }
      .sorted { $0.openedAt > $1.openedAt }
      .map {
        OpenSession(
          session: $0, expires: lifetime.end(of: $0), isCurrent: $0.id == current)
      }
  }

  /// Ends the session of `token` at once (A10), also if a proof replaces the token meanwhile. The audit log gets the
  /// logout when the session is deleted from the store.
  /// - Throws: `notLoggedIn`; `storageFull` or `storageFailed` when the session has ended for the running controller
  ///   but not in the store: repeat. The next login deletes it too.
  public func logOut(_ token: String) async throws(AccountError) {
    guard let digest = SessionToken(token)?.digest else { throw .notLoggedIn }
    let principal = try await endSession(of: digest)
    let logout = PendingLogout(actor: AuditActor(principal), origin: .current)
    cache.withLock { $0.recordLogout(logout, of: principal.session) }
    _ = try await delete([principal.session])
  }

  /// Ends the session of a token for every request from now on, without deleting it from the store.
  /// - Returns: Its user.
  private func endSession(
    of digest: SecretDigest
  ) async throws(AccountError) -> SessionPrincipal {
    if let session = cache.withLock({ $0.endingSession(of: digest) }) {
      // Another call has ended it, but not deleted it from the store.
      return self.principal(of: session)
    }
    var principal = try await resolve(digest)
    // Of several simultaneous calls, one ends the session, and the others throw `notLoggedIn`.
    while !cache.withLock({ $0.end(digest) }) { principal = try await resolve(digest) }
    events.publish(.loggedOut(principal))
    return principal
  }

  /// Ends one of a person's sessions at once.
  /// - Throws: `notFound`; `storageFull` or `storageFailed` as for `logOut`.
  public func end(_ id: SessionID, of principal: SessionPrincipal) async throws(AccountError) {
    guard try await end(of: principal.account, where: { $0 == id }) > 0 else {
      throw .unknownSession
    }
    await audit.record(.sessionEnded, by: AuditActor(principal), about: id.text)
  }

  /// Ends a session of an account at once, for an owner.
  /// - Throws: `forbidden`, `notFound`; `storageFull` or `storageFailed` as for `logOut`.
  public func end(
    _ id: SessionID, of account: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try principal.requireOwner(to: "end other people's sessions")
    guard try await end(of: account, where: { $0 == id }) > 0 else { throw .unknownSession }
    await audit.record(.sessionEnded, by: AuditActor(principal), about: id.text)
  }

  /// Ends a person's sessions at once: all, or all but the current one.
  /// - Returns: The number of sessions that ended.
  /// - Throws: `storageFull` or `storageFailed` as for `logOut`.
  @discardableResult
  public func endAll(
    of principal: SessionPrincipal, exceptCurrent: Bool
  ) async throws(AccountError) -> Int {
    let kept = exceptCurrent ? principal.session : nil
    let count = try await end(of: principal.account) { $0 != kept }
    await audit.record(
      .sessionsEnded, by: AuditActor(principal), about: exceptCurrent ? "others" : "all")
    return count
  }

  /// Ends all sessions of an account or guest pass at once.
  /// - Throws: `storageFull` or `storageFailed` as for `logOut`.
  func endAll(of holder: AccountID) async throws(AccountError) {
    _ = try await end(of: holder) { _ in true }
  }

  /// Makes the open sessions of a changed holder read it from the store at their next request.
  func reloadHolder(_ holder: AccountID) {
    cache.withLock { $0.drop(holder) }
  }

  /// Ends sessions that the store has deleted, because their holder was deleted or has a new
  /// password.
  func endDeleted(_ sessions: [Session]) {
    cache.withLock { cache in for session in sessions { cache.drop(session.holder.id) } }
    publishEnd(of: sessions)
  }

  /// Deletes expired sessions from the store.
  func deleteExpired() async throws(AccountError) {
    try await store.deleteSessions(lifetime.cutoff(at: clock.now()))
  }

  private func end(
    of holder: AccountID, where isChosen: (SessionID) -> Bool
  ) async throws(AccountError) -> Int {
    let chosen = try await store.sessions(of: holder).filter { isChosen($0.id) }
    let ended = cache.withLock { cache in chosen.filter { cache.end($0.id) } }
    publishEnd(of: ended)
    return try await delete(chosen.map(\.id)).count
  }

  /// Deletes ended sessions from the store, by identity: a new proof changes a session's token, but
  /// not its identity.
  /// - Returns: The sessions that this call deleted. An earlier call may have ended them, but failed to
  ///   delete them.
  private func delete(_ ids: [SessionID]) async throws(AccountError) -> Set<SessionID> {
    do throws(AccountError) {
      try await store.deleteSessions(ids)
    } catch {
      cache.withLock { $0.recordUndeleted(ids) }
      throw error
    }
    let (ended, logouts) = cache.withLock { ($0.forget(ids), $0.removeLogouts(of: ids)) }
    await recordLogouts(logouts)
    return ended
  }

  private func recordLogouts(_ logouts: [PendingLogout]) async {
    for logout in logouts { await audit.record(.logout, by: logout.actor, origin: logout.origin) }
  }

  /// Deletes the ended sessions that an earlier call failed to delete, as on a full disk: their tokens would be
  /// valid again after a restart of the controller.
  private func deleteLeftover() async {
    let ids = Array(cache.withLock(\.undeleted))
    guard !ids.isEmpty else { return }
    do throws(AccountError) {
      _ = try await delete(ids)
    } catch {
      // The next new session tries again.
    }
  }

  private func publishEnd(of sessions: [Session]) {
    for session in sessions { events.publish(.loggedOut(principal(of: session))) }
  }

  // MARK: Watching

  /// Whether `token` still opens the session of `principal` with the same role; false, too, if the store
  /// cannot be read. Not a use of the
  /// session.
  public func isOpen(_ token: String, for principal: SessionPrincipal) async -> Bool {
    await end(of: token, as: principal.role) != nil
  }

  /// Calls `onEnd` once, as soon as `token` no longer opens the session of `principal` with the same
  /// role: the session was ended or expired by either clock, its token was replaced, or the role has
  /// changed. Misses the end of a session if the clock was set back; `isOpen` finds it.
  public func watch(
    _ token: String, for principal: SessionPrincipal, onEnd: @escaping @Sendable () -> Void
  ) async -> SessionEndMonitor.Watch {
    await monitor.watch(
      { $0.concerns(principal) },
      check: { [weak self, role = principal.role] in await self?.end(of: token, as: role) },
      onEnd: onEnd)
  }

  /// When the session ends; nil when it has ended, or when the store cannot tell.
  private func end(of token: String, as role: AccountRole) async -> SessionEnd? {
    guard let digest = SessionToken(token)?.digest,
      let found = try? await find(digest, { $0.find(digest, at: $1) }),
      found.principal.role == role
    else { return nil }
    return SessionEnd(
      date: lifetime.end(of: found.session), steady: lifetime.steadyEnd(of: found.session))
  }

  private func principal(of session: Session) -> SessionPrincipal {
    SessionPrincipal(session, expires: lifetime.end(of: session))
  }

  private func moment() -> Moment { Moment(date: clock.now(), steady: steady.now()) }
}
