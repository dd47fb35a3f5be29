import Foundation

/// The identity of a session. It may be shown and logged; only the token authenticates.
package struct SessionID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// 32 lower-case hexadecimal digits.
  package let text: String

  /// Takes a stored identity.
  package init(_ text: String) {
    self.text = text
  }

  init(from random: RandomSource) {
    text = random.hexadecimal(bytes: 16)
  }

  package var description: String { text }
}

/// The user of a session.
package enum SessionHolder: Hashable, Sendable {
  /// A person with an account.
  case account(Account)
  /// A guest, who has no account.
  case guest(GuestPass)

  /// The account, or the identity of the pass.
  package var id: AccountID {
    switch self {
    case .account(let account): account.id
    case .guest(let pass): pass.id
    }
  }

  /// The most sessions at a time; one more ends the oldest. A wall tablet is one device.
  var mostSessions: Int {
    switch self {
    case .guest(let pass) where pass.isWallTablet: 1
    case .account, .guest: 20
    }
  }
}

/// A session, stored under the digest of its token.
package struct Session: Hashable, Sendable {
  /// Identifies the session in lists and logs; not the token.
  package let id: SessionID
  /// The account or guest pass that it belongs to.
  package let holder: SessionHolder
  /// When it was opened, by the time of day.
  package let openedAt: Date
  /// The same moment by the steady clock.
  package let opened: SteadyTime
  /// When it was last used; up to a minute old in the store.
  package var lastSeenAt: Date
  /// The last authentication.
  package var proven: SteadyTime
  /// The origin of the login.
  package let origin: Origin

  package init(
    id: SessionID, holder: SessionHolder, openedAt: Date, opened: SteadyTime, lastSeenAt: Date,
    proven: SteadyTime, origin: Origin
  ) {
    self.id = id
    self.holder = holder
    self.openedAt = openedAt
    self.opened = opened
    self.lastSeenAt = lastSeenAt
    self.proven = proven
    self.origin = origin
  }
}

/// The authenticated user of one request, without the secret (E1).
package struct SessionPrincipal: Hashable, Sendable {
  /// The account; for a guest the identity of the pass.
  package let account: AccountID
  /// The display name of the account or pass.
  package let name: String
  /// nil for a guest.
  package let email: String?
  /// The permissions of the user.
  package let role: AccountRole
  /// The highest age rating that this person may watch, in years; nil for no limit.
  package let ageLimit: Int?
  /// The language of the page; nil for the browser's, and for guests.
  package let language: Language?
  /// The pass of a guest; nil for people with an account.
  package let pass: GuestPass?
  /// The session of the request.
  package let session: SessionID
  /// When the session ends unless it is used before.
  package let expires: Date
  /// The last authentication.
  package let proven: SteadyTime
  /// Whether this is the tablet on the wall.
  package var isWallTablet: Bool { pass?.isWallTablet ?? false }

  init(_ session: Session, expires: Date) {
    account = session.holder.id
    switch session.holder {
    case .account(let account):
      name = account.name.text
      email = account.email.text
      role = account.role
      ageLimit = account.ageLimit
      language = account.language
      pass = nil
    case .guest(let pass):
      name = pass.name.text
      email = nil
      role = .guest
      ageLimit = pass.ageLimit
      language = nil
      self.pass = pass
    }
    self.session = session.id
    self.expires = expires
    proven = session.proven
  }
}

/// Stores sessions under the digests of their tokens.
package protocol SessionStore: Sendable {
  /// Stores a session, deletes those that are over and, when its holder has more than `most`, the oldest.
  /// - Parameter record: The account as it was at the authentication; nil for a guest's session.
  /// - Returns: The session with its holder as it is now, and the deleted sessions beyond `most`.
  /// - Throws: `notLoggedIn` when the account or pass is gone; `wrongCredentials` when password or
  ///   factor have changed since the authentication.
  func insert(
    _ session: Session, digest: SecretDigest, provenBy record: AccountRecord?,
    dropping ended: SessionCutoff, most: Int
  ) async throws(AccountError) -> (session: Session, surplus: [Session])

  /// The session with this digest and its holder as it is now.
  func session(digest: SecretDigest) async throws(AccountError) -> Session?

  /// The sessions of an account or guest pass.
  func sessions(of holder: AccountID) async throws(AccountError) -> [Session]

  /// Replaces the digest `old` and records a new authentication.
  /// - Throws: `notLoggedIn` when there is no session with `old`.
  func replaceDigest(
    _ old: SecretDigest, with new: SecretDigest, proven: SteadyTime
  ) async throws(AccountError)

  /// Records the last use; an unknown session is no error.
  func setLastSeen(_ date: Date, of session: SessionID) async throws(AccountError)

  /// Deletes sessions, all or none; an unknown one is no error.
  func deleteSessions(_ ids: [SessionID]) async throws(AccountError)

  /// Deletes the sessions that are over.
  func deleteSessions(_ ended: SessionCutoff) async throws(AccountError)
}
