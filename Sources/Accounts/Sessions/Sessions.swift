import Foundation
import Synchronization

/// Who is logged in: opens sessions, tells whom a token belongs to, and ends them at once.
package final class Sessions: Sendable {
  private let store: any SessionStore
  private let lifetime: SessionLifetime
  private let clock: WallClock
  private let random: RandomSource
  private let cache: Mutex<SessionCache>

  package init(
    store: any SessionStore, lifetime: SessionLifetime = .standard, clock: WallClock = .system,
    random: RandomSource = .system
  ) {
    self.store = store
    self.lifetime = lifetime
    self.clock = clock
    self.random = random
    cache = Mutex(SessionCache(lifetime: lifetime))
  }

  /// Opens a session with a new token; drops from the store what has ended.
  /// - Throws: `storageFull` or `storageFailed`; then there is no session.
  package func open(for proof: ProofOfIdentity) async throws(AccountError) -> LoggedIn {
    let now = clock.now()
    let token = SessionToken(from: random)
    let session = Session(
      id: SessionID(from: random), account: proof.account, openedAt: now, lastSeenAt: now)
    let digest = token.digest
    try await store.insert(session, digest: digest, dropping: lifetime.cutoff(at: now))
    cache.withLock { $0.keep(session, for: digest) }
    return LoggedIn(
      token: token, principal: Principal(session, expires: lifetime.end(of: session)))
  }

  /// Whose token this is; counts as a use of the session. Costs no query while the session is in
  /// use.
  /// - Throws: `notLoggedIn` for anything but a token of a living session; `storageFailed`.
  package func resolve(_ token: String) async throws(AccountError) -> Principal {
    guard let token = SessionToken(token) else { throw .notLoggedIn }
    return try await resolve(token.digest)
  }

  /// Ends the session of `token`: no request that begins from now on is accepted.
  /// - Parameter ended: told once whose session it was, before the store is.
  /// - Throws: `notLoggedIn`; `storageFull` or `storageFailed` where the store could not be told:
  ///   then the session has ended for the running controller, and the call is to be repeated.
  package func revoke(
    _ token: String, ended: (Principal) -> Void = { _ in }
  ) async throws(AccountError) {
    guard let digest = SessionToken(token)?.digest else { throw .notLoggedIn }
    if !cache.withLock({ $0.awaitsStore(digest) }) {
      var principal = try await resolve(digest)
      // Of several calls at once, one ends it; the others are told that there is no session.
      while !cache.withLock({ $0.revoke(digest) }) { principal = try await resolve(digest) }
      ended(principal)
    }
    try await store.deleteSession(digest: digest)
    cache.withLock { $0.forget(digest) }
  }

  /// Drops from the store what has ended; for the start of the controller.
  func dropEnded() async throws(AccountError) {
    try await store.deleteSessions(lifetime.cutoff(at: clock.now()))
  }

  private func resolve(_ digest: SecretDigest) async throws(AccountError) -> Principal {
    while true {
      switch cache.withLock({ $0.use(digest, at: clock.now()) }) {
      case .valid(let principal, let session, let write):
        if write { await writeLastSeen(of: session) }
        return principal
      case .ended:
        throw .notLoggedIn
      case .unknown(let generation):
        guard let session = try await store.session(digest: digest) else { throw .notLoggedIn }
        _ = cache.withLock { $0.insert(session, for: digest, generation: generation) }
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
}
