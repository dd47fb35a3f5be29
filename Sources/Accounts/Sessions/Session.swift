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

/// Whose session it is.
package enum SessionHolder: Hashable, Sendable {
  case account(Account)
  /// Somebody who came with a guest pass, and has no account.
  case guest(GuestPass)

  /// The account, or the identity of the pass, under which there is no account.
  package var id: AccountID {
    switch self {
    case .account(let account): account.id
    case .guest(let pass): pass.id
    }
  }
}

/// A session as a store keeps it, under the digest of its token.
package struct Session: Hashable, Sendable {
  package let id: SessionID
  package let holder: SessionHolder
  package let openedAt: Date
  /// The same moment by the clock that nobody can set.
  package let opened: SteadyTime
  /// When it was last used; in a store up to a minute old.
  package var lastSeenAt: Date
  /// When the person last proved who they are.
  package var proven: SteadyTime
  /// Where it was opened.
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

/// Who asks, for the length of one request: what a session proves, without the secret that proved
/// it (E1).
package struct SessionPrincipal: Hashable, Sendable {
  /// Whose account; for a guest the identity of the pass, under which there is no account.
  package let account: AccountID
  package let name: String
  /// nil for a guest.
  package let email: String?
  package let role: AccountRole
  /// The oldest age rating that this person may watch, in years; nil for no limit.
  package let ageLimit: Int?
  /// What a guest may do; nil for people with an account.
  package let pass: GuestPass?
  package let session: SessionID
  /// When the session ends unless it is used before.
  package let expires: Date
  /// When the person last proved who they are.
  package let proven: SteadyTime

  init(_ session: Session, expires: Date) {
    account = session.holder.id
    switch session.holder {
    case .account(let account):
      name = account.name.text
      email = account.email.text
      role = account.role
      ageLimit = account.ageLimit
      pass = nil
    case .guest(let pass):
      name = pass.name.text
      email = nil
      role = .guest
      ageLimit = pass.ageLimit
      self.pass = pass
    }
    self.session = session.id
    self.expires = expires
    proven = session.proven
  }
}
