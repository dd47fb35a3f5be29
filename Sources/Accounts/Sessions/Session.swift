import Foundation

/// The identity of a session. It may be shown and logged; only the token authenticates.
public struct SessionID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// 32 lower-case hexadecimal digits.
  public let text: String

  /// Takes a stored identity.
  public init(_ text: String) {
    self.text = text
  }

  init(from random: RandomSource) {
    text = random.hexadecimal(bytes: 16)
  }

  public var description: String { text }
}

/// The user of a session.
public enum SessionHolder: Hashable, Sendable {
  /// A person with an account.
  case account(Account)
  /// A guest, who has no account.
  case guest(GuestPass)

  /// The account, or the identity of the pass.
  public var id: AccountID {
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
public struct Session: Hashable, Sendable {
  /// Identifies the session in lists and logs; not the token.
  public let id: SessionID
  /// The account or guest pass that it belongs to.
  public let holder: SessionHolder
  /// When it was opened, by the time of day.
  public let openedAt: Date
  /// The same moment by the steady clock.
  public let opened: SteadyTime
  /// When it was last used; up to a minute old in the store.
  public var lastSeenAt: Date
  /// The last authentication.
  public var proven: SteadyTime
  /// The origin of the login.
  public let origin: Origin

  public init(
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
public struct SessionPrincipal: Hashable, Sendable {
  /// The account; for a guest the identity of the pass.
  public let account: AccountID
  /// The display name of the account or pass.
  public let name: String
  /// nil for a guest.
  public let email: String?
  /// The permissions of the user.
  public let role: AccountRole
  /// The highest age rating that this person may watch, in years; nil for no limit.
  public let ageLimit: Int?
  /// The language of the page; nil for the browser's, and for guests.
  public let language: Language?
  /// The pass of a guest; nil for people with an account.
  public let pass: GuestPass?
  /// The session of the request.
  public let session: SessionID
  /// When the session ends unless it is used before.
  public let expires: Date
  /// The last authentication.
  public let proven: SteadyTime
  /// Whether this is the tablet on the wall.
  public var isWallTablet: Bool { pass?.isWallTablet ?? false }

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
public protocol SessionStore: Sendable {
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
