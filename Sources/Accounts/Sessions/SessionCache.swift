import Foundation

/// The sessions in use, so that a request costs no query. A value: `Sessions` guards it.
struct SessionCache {
  /// What the cache knows of a token.
  enum Answer {
    /// The session lives. `write`: its last use is due to be stored.
    case valid(Principal, Session, write: Bool)
    /// It ended or was revoked.
    case ended
    /// Ask the store, then `insert` with this generation.
    case unknown(generation: UInt64)
  }

  private struct Entry {
    var session: Session
    var writtenAt: Date
  }

  private let lifetime: SessionLifetime
  private let capacity: Int
  private var entries: [SecretDigest: Entry] = [:]
  /// Revoked here, and not yet known to be gone from the store.
  private var revoked: Set<SecretDigest> = []
  /// Counts revocations: what was read from a store before one may not be inserted after it.
  private var generation: UInt64 = 0

  init(lifetime: SessionLifetime, capacity: Int = 1024) {
    self.lifetime = lifetime
    self.capacity = capacity
  }

  /// Looks a token up, and counts as a use of its session.
  mutating func use(_ digest: SecretDigest, at now: Date) -> Answer {
    if revoked.contains(digest) { return .ended }
    guard let index = entries.index(forKey: digest) else {
      return .unknown(generation: generation)
    }
    guard lifetime.end(of: entries.values[index].session) > now else {
      entries.remove(at: index)
      return .ended
    }
    // A clock that was set back shortens no session.
    let seen = max(entries.values[index].session.lastSeenAt, now)
    let write = seen.timeIntervalSince(entries.values[index].writtenAt) >= lifetime.seenInterval
    entries.values[index].session.lastSeenAt = seen
    if write { entries.values[index].writtenAt = seen }
    let session = entries.values[index].session
    return .valid(Principal(session, expires: lifetime.end(of: session)), session, write: write)
  }

  /// Keeps what a store told, unless something was revoked since `generation`.
  /// - Returns: false where it has to be asked again.
  mutating func insert(_ session: Session, for digest: SecretDigest, generation: UInt64) -> Bool {
    guard generation == self.generation else { return false }
    keep(session, for: digest)
    return true
  }

  /// Keeps a session that was opened just now.
  mutating func keep(_ session: Session, for digest: SecretDigest) {
    if entries.count >= capacity, entries[digest] == nil { dropOldest() }
    entries[digest] = Entry(session: session, writtenAt: session.lastSeenAt)
  }

  /// Ends a session for every request from now on.
  /// - Returns: false where it was not here to end.
  mutating func revoke(_ digest: SecretDigest) -> Bool {
    guard entries.removeValue(forKey: digest) != nil else { return false }
    generation &+= 1
    revoked.insert(digest)
    return true
  }

  /// The store has forgotten a revoked session: it need not be remembered here.
  mutating func forget(_ digest: SecretDigest) {
    generation &+= 1
    revoked.remove(digest)
  }

  /// Whether a revocation has not reached the store yet.
  func awaitsStore(_ digest: SecretDigest) -> Bool { revoked.contains(digest) }

  private mutating func dropOldest() {
    let oldest = entries.min { $0.value.session.lastSeenAt < $1.value.session.lastSeenAt }
    if let oldest { entries[oldest.key] = nil }
  }
}
