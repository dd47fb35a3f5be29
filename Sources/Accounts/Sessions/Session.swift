import Foundation

/// The identity of a session: may be shown and logged, opens nothing.
package struct SessionID: Hashable, Sendable, Codable, CustomStringConvertible {
  package let text: String

  /// Takes an identity that a store kept.
  package init(_ text: String) {
    self.text = text
  }

  init(from random: RandomSource) {
    text = random.hexadecimal(bytes: 16)
  }

  package var description: String { text }
}

/// A session as a store keeps it, under the digest of its token.
package struct Session: Hashable, Sendable {
  package let id: SessionID
  package let account: Account
  package let openedAt: Date
  /// When it was last used; in a store up to a minute old.
  package var lastSeenAt: Date

  package init(id: SessionID, account: Account, openedAt: Date, lastSeenAt: Date) {
    self.id = id
    self.account = account
    self.openedAt = openedAt
    self.lastSeenAt = lastSeenAt
  }
}

/// How long sessions live, in seconds.
package struct SessionLifetime: Sendable {
  /// Unused for this long, a session ends.
  package let idle: TimeInterval
  /// However much it is used, a session ends after this.
  package let absolute: TimeInterval
  /// The last use is written at most this often.
  package let seenInterval: TimeInterval

  /// 7 days idle, 30 days at most, last use written once a minute.
  package static let standard = SessionLifetime(
    idle: 7 * 86_400, absolute: 30 * 86_400, seenInterval: 60)

  package init(idle: TimeInterval, absolute: TimeInterval, seenInterval: TimeInterval) {
    self.idle = idle
    self.absolute = absolute
    self.seenInterval = seenInterval
  }

  /// When `session` ends unless it is used before.
  func end(of session: Session) -> Date {
    min(
      session.openedAt.addingTimeInterval(absolute), session.lastSeenAt.addingTimeInterval(idle))
  }

  /// Sessions that ended before `now`, for the store to drop.
  func cutoff(at now: Date) -> SessionCutoff {
    SessionCutoff(
      openedBefore: now.addingTimeInterval(-absolute), seenBefore: now.addingTimeInterval(-idle))
  }
}

/// Sessions that were opened or last seen at or before these times are over.
package struct SessionCutoff: Sendable {
  package let openedBefore: Date
  package let seenBefore: Date
}

/// Who asks, for the length of one request: what a session proves, without the secret that proved
/// it (E1).
package struct Principal: Hashable, Sendable {
  package let account: AccountID
  package let name: String
  package let email: String
  package let role: Role
  package let session: SessionID
  /// When the session ends unless it is used before.
  package let expires: Date

  init(_ session: Session, expires: Date) {
    account = session.account.id
    name = session.account.name.text
    email = session.account.email.text
    role = session.account.role
    self.session = session.id
    self.expires = expires
  }
}
