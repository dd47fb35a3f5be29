import Foundation

/// A logout for the audit log, which gets it when the store has deleted the session.
struct PendingLogout {
  let actor: AuditActor
  let origin: Origin
}

/// A cache of the sessions in use, so that a request needs no query. `Sessions` protects it with a lock.
struct SessionCache {
  /// The answer to a lookup.
  enum Answer {
    /// The session is open. `write`: the caller must store its last use.
    case valid(SessionPrincipal, Session, write: Bool)
    /// It ended or was revoked.
    case ended
    /// Not cached: read it from the store, then `insert` it with this generation.
    case unknown(generation: UInt64)
  }

  private struct Entry {
    var session: Session
    var writtenAt: Date
  }

  private let lifetime: SessionLifetime
  private let capacity: Int
  private var entries: [SecretDigest: Entry] = [:]
  /// The identities of sessions that have ended, but may still be in the store. A token
  /// would not identify them: a proof may replace it while its session is being ended.
  private var ending: Set<SessionID> = []
  /// The ended sessions that the store failed to delete. After a restart of the controller their tokens would be
  /// valid again.
  private(set) var undeleted: Set<SessionID> = []
  /// The logouts whose sessions may still be in the store.
  private var logouts: [SessionID: PendingLogout] = [:]
  /// Grows with every deletion and change, so that an earlier answer of the store is not cached.
  private(set) var generation: UInt64 = 0

  init(lifetime: SessionLifetime, capacity: Int = 1024) {
    self.lifetime = lifetime
    self.capacity = capacity
  }

  /// Looks a token up; this does not count as a use of its session.
  mutating func find(_ digest: SecretDigest, at now: Moment) -> Answer {
    guard let session = entries[digest]?.session else { return .unknown(generation: generation) }
    guard !ending.contains(session.id) else { return .ended }
    guard !lifetime.isOver(session, at: now) else {
      entries[digest] = nil
      return .ended
    }
    return .valid(
      SessionPrincipal(session, expires: lifetime.end(of: session)), session, write: false)
  }

  /// Looks a token up, and counts as a use of its session.
  mutating func use(_ digest: SecretDigest, at now: Moment) -> Answer {
    let answer = find(digest, at: now)
    guard case .valid = answer, let index = entries.index(forKey: digest) else { return answer }
    // Setting the clock back must not shorten a session.
    let seen = max(entries.values[index].session.lastSeenAt, now.date)
    let write = seen.timeIntervalSince(entries.values[index].writtenAt) >= lifetime.seenInterval
    entries.values[index].session.lastSeenAt = seen
    if write { entries.values[index].writtenAt = seen }
    let session = entries.values[index].session
    return .valid(
      SessionPrincipal(session, expires: lifetime.end(of: session)), session, write: write)
  }

  /// Caches a stored session, unless something was deleted or changed since `generation`.
  mutating func insert(_ session: Session, for digest: SecretDigest, generation: UInt64) {
    guard generation == self.generation else { return }
    if entries.count >= capacity, entries[digest] == nil { dropOldest() }
    entries[digest] = Entry(session: session, writtenAt: session.lastSeenAt)
  }

  /// Ends the session of a cached token for every request from now on.
  /// - Returns: false when the token is not cached, or another call is ending the session.
  mutating func end(_ digest: SecretDigest) -> Bool {
    guard let session = entries[digest]?.session else { return false }
    return end(session.id)
  }

  /// Ends a session for every request from now on, cached or not, whatever its token is.
  /// - Returns: false when another call is ending it.
  mutating func end(_ id: SessionID) -> Bool { ending.insert(id).inserted }

  /// Forgets sessions that the store has deleted.
  /// - Returns: Those that had ended; without the ones that another call has forgotten already.
  @discardableResult
  mutating func forget(_ ids: [SessionID]) -> Set<SessionID> {
    generation &+= 1
    let ids = Set(ids)
    entries = entries.filter { !ids.contains($0.value.session.id) }
    defer {
      ending.subtract(ids)
      undeleted.subtract(ids)
    }
    return ending.intersection(ids)
  }

  /// Records that the store failed to delete ended sessions.
  mutating func recordUndeleted(_ ids: [SessionID]) {
    undeleted.formUnion(ending.intersection(ids))
  }

  /// Records a logout, unless the store has deleted its session already.
  mutating func recordLogout(_ logout: PendingLogout, of id: SessionID) {
    if ending.contains(id) { logouts[id] = logout }
  }

  /// Removes and returns the logouts of sessions that the store has deleted.
  mutating func removeLogouts(of ids: [SessionID]) -> [PendingLogout] {
    ids.compactMap { logouts.removeValue(forKey: $0) }
  }

  /// Ends a session that the store has deleted already.
  /// - Returns: false when another call is ending it.
  mutating func endDeleted(_ id: SessionID) -> Bool {
    defer { forget([id]) }
    return end(id)
  }

  /// The session of a cached token that has ended, but may still be in the store.
  func endingSession(of digest: SecretDigest) -> Session? {
    guard let session = entries[digest]?.session, ending.contains(session.id) else { return nil }
    return session
  }

  /// Drops a token that was replaced.
  mutating func drop(_ digest: SecretDigest) {
    generation &+= 1
    entries[digest] = nil
  }

  /// Drops the sessions of a holder who has changed or is gone. Ended ones stay, so that a logout can be
  /// repeated.
  mutating func drop(_ holder: AccountID) {
    generation &+= 1
    let ending = ending
    entries = entries.filter {
      $0.value.session.holder.id != holder || ending.contains($0.value.session.id)
    }
  }

  private mutating func dropOldest() {
    let oldest = entries.min { $0.value.session.lastSeenAt < $1.value.session.lastSeenAt }
    if let oldest { entries[oldest.key] = nil }
  }
}
