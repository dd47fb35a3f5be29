import Foundation

/// The identity of an invitation: may be shown and logged, admits nobody.
package struct InvitationID: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  /// Takes an identity that a store kept or a person named.
  package init(_ text: String) {
    self.text = text
  }

  package var description: String { text }
}

/// That a person may register once, as a store keeps it under the digest of its code.
package struct Invitation: Hashable, Sendable, Identifiable {
  package let id: InvitationID
  /// What the new account may do.
  package let role: AccountRole
  /// The owner who asked for it.
  package let madeBy: AccountID
  package let madeAt: Date
  package let expires: Date

  package init(
    id: InvitationID, role: AccountRole, madeBy: AccountID, madeAt: Date, expires: Date
  ) {
    self.id = id
    self.role = role
    self.madeBy = madeBy
    self.madeAt = madeAt
    self.expires = expires
  }
}

/// An invitation in the one moment in which its code is known.
package struct IssuedInvitation: Sendable {
  package let code: EntryCode
  package let invitation: Invitation
}

/// Makes and finds invitations.
struct Invitations: Sendable {
  let store: any InvitationStore
  let clock: WallClock
  let random: RandomSource
  /// Seconds until one expires for which nothing else is said.
  let validity: TimeInterval

  /// Makes one for `owner`.
  /// - Throws: `forbidden` for anybody else; `outOfRange`.
  func issue(
    by owner: SessionPrincipal, role: AccountRole, validity: TimeInterval?
  ) async throws(AccountError) -> IssuedInvitation {
    try owner.mustBeOwner("invite people")
    guard role != .guest else { throw .outOfRange("role", "member or owner") }
    let now = clock.now()
    let code = EntryCode(from: random)
    let invitation = Invitation(
      id: InvitationID(random.hexadecimal(bytes: 8)), role: role, madeBy: owner.account,
      madeAt: now,
      expires: now.addingTimeInterval(
        try Validity.invitation.checked(validity ?? self.validity)))
    try await store.insert(invitation, digest: code.digest)
    return IssuedInvitation(code: code, invitation: invitation)
  }

  /// The invitation behind a code, while it is good.
  /// - Throws: `codeInvalid`.
  func find(_ code: EntryCode) async throws(AccountError) -> Invitation {
    guard let invitation = try await store.invitation(digest: code.digest),
      invitation.expires > clock.now()
    else { throw .codeInvalid }
    return invitation
  }

  /// Those that still admit somebody, the newest first.
  func open() async throws(AccountError) -> [Invitation] {
    let now = clock.now()
    return try await store.invitations().filter { $0.expires > now }
  }

  /// Forgets those that expired unused.
  func dropExpired() async throws(AccountError) {
    try await store.deleteInvitations(expiredBefore: clock.now())
  }
}
