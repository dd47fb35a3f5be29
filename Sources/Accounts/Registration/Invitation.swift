import Foundation

/// That a person may register once, as a store keeps it under the digest of its code.
package struct Invitation: Hashable, Sendable {
  /// What the new account may do.
  package let role: Role
  /// The owner who asked for it.
  package let madeBy: AccountID
  package let madeAt: Date
  package let expires: Date

  package init(role: Role, madeBy: AccountID, madeAt: Date, expires: Date) {
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
  /// Seconds until one expires.
  let validity: TimeInterval

  /// Makes one for `owner`.
  /// - Throws: `forbidden` for anybody else.
  func issue(by owner: Principal) async throws(AccountError) -> IssuedInvitation {
    guard owner.role == .owner else { throw .forbidden("invite people") }
    let now = clock.now()
    let code = EntryCode(from: random)
    let invitation = Invitation(
      role: .member, madeBy: owner.account, madeAt: now,
      expires: now.addingTimeInterval(validity))
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

  /// Forgets those that expired unused.
  func dropExpired() async throws(AccountError) {
    try await store.deleteInvitations(expiredBefore: clock.now())
  }
}
