import Foundation

/// The identity of an invitation. It may be shown and logged; only the code admits a person.
public struct InvitationID: Hashable, Sendable, CustomStringConvertible {
  /// 16 lower-case hexadecimal digits.
  public let text: String

  /// Takes a stored or typed identity.
  public init(_ text: String) {
    self.text = text
  }

  public var description: String { text }
}

/// The right to register once, stored under the digest of its code.
public struct Invitation: Hashable, Sendable, Identifiable {
  /// Identifies the invitation in lists; not the code, which is secret.
  public let id: InvitationID
  /// The role of the new account.
  public let role: AccountRole
  /// The owner who asked for it.
  public let madeBy: AccountID
  /// When it was made, by the time of day.
  public let madeAt: Date
  /// The code is void from then on.
  public let expires: Date

  public init(
    id: InvitationID, role: AccountRole, madeBy: AccountID, madeAt: Date, expires: Date
  ) {
    self.id = id
    self.role = role
    self.madeBy = madeBy
    self.madeAt = madeAt
    self.expires = expires
  }
}

/// A new invitation with its code, which is not stored.
public struct IssuedInvitation: Sendable {
  /// The secret that admits one person; shown once.
  public let code: EntryCode
  /// The stored part of the invitation.
  public let invitation: Invitation
}

/// Stores invitations under the digests of their codes.
public protocol InvitationStore: Sendable {
  /// Stores an invitation.
  /// - Throws: `forbidden` when its maker is no owner any more.
  func insert(_ invitation: Invitation, digest: SecretDigest) async throws(AccountError)

  /// The invitation with this digest; nil when it is unknown or used.
  func invitation(digest: SecretDigest) async throws(AccountError) -> Invitation?

  /// Every unused invitation, the newest first.
  func invitations() async throws(AccountError) -> [Invitation]

  /// Deletes an invitation.
  /// - Throws: `notFound`.
  func deleteInvitation(_ id: InvitationID) async throws(AccountError)

  /// Deletes unused invitations that expired at or before `date`.
  func deleteInvitations(expiredBefore date: Date) async throws(AccountError)
}

/// Makes, lists and revokes invitations; each admits one further person.
public struct Invitations: Sendable {
  let store: any InvitationStore
  let sessions: Sessions
  let audit: AuditLog
  let clock: WallClock
  let random: RandomSource
  /// Seconds until an invitation expires, unless its maker says otherwise.
  let validity: TimeInterval

  /// Makes an invitation.
  /// - Parameters:
  ///   - role: Of the new account: a member or an owner.
  ///   - validity: Seconds until it expires, a minute to 90 days; nil for the default of 7 days.
  /// - Throws: `forbidden` unless `principal` is an owner; `proofNeeded` for a further owner; `outOfRange`.
  public func make(
    by principal: SessionPrincipal, role: AccountRole = .member, validity: TimeInterval? = nil
  ) async throws(AccountError) -> IssuedInvitation {
    try principal.requireOwner(to: "invite people")
    guard role != .guest else { throw .outOfRange("role", "member or owner") }
    if role == .owner { try sessions.requireFreshProof(principal) }
    let now = clock.now()
    let code = EntryCode(from: random)
    let invitation = Invitation(
      id: InvitationID(random.hexadecimal(bytes: 8)), role: role, madeBy: principal.account,
      madeAt: now,
      expires: now.addingTimeInterval(
        try ValidityLimit.invitation.check(validity ?? self.validity)))
    try await store.insert(invitation, digest: code.digest)
    await audit.record(.invitationMade, by: AuditActor(principal), about: role.rawValue)
    return IssuedInvitation(code: code, invitation: invitation)
  }

  /// Returns the invitations that are still valid, the newest first.
  /// - Throws: `forbidden` unless `principal` is an owner.
  public func list(for principal: SessionPrincipal) async throws(AccountError) -> [Invitation] {
    try principal.requireOwner(to: "see the invitations")
    let now = clock.now()
    return try await store.invitations().filter { $0.expires > now }
  }

  /// Revokes an invitation.
  /// - Throws: `forbidden`, `notFound`.
  public func revoke(
    _ id: InvitationID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try principal.requireOwner(to: "take an invitation back")
    try await store.deleteInvitation(id)
    await audit.record(.invitationRevoked, by: AuditActor(principal), about: id.text)
  }

  /// Returns the invitation of a code while it is valid.
  /// - Throws: `codeInvalid`.
  func find(_ code: EntryCode) async throws(AccountError) -> Invitation {
    guard let invitation = try await store.invitation(digest: code.digest),
      invitation.expires > clock.now()
    else { throw .codeInvalid }
    return invitation
  }

  /// Deletes invitations that expired unused.
  func deleteExpired() async throws(AccountError) {
    try await store.deleteInvitations(expiredBefore: clock.now())
  }
}
