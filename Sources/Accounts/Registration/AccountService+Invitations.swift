import Foundation

/// Invitations: each admits one further person, once.
extension AccountService {
  /// Makes an invitation.
  /// - Parameters:
  ///   - role: what the new account may do: a member or an owner.
  ///   - validity: seconds until it expires, a minute to 90 days; nil for the usual 7 days.
  /// - Throws: `forbidden` unless `principal` is an owner; `outOfRange`.
  package func invite(
    by principal: SessionPrincipal, role: AccountRole = .member, validity: TimeInterval? = nil
  ) async throws(AccountError) -> IssuedInvitation {
    let issued = try await invitations.issue(by: principal, role: role, validity: validity)
    await audit.record(.invitationMade, by: AuditActor(principal), about: role.rawValue)
    return issued
  }

  /// The invitations that still admit somebody, the newest first.
  /// - Throws: `forbidden` unless `principal` is an owner.
  package func openInvitations(
    for principal: SessionPrincipal
  ) async throws(AccountError) -> [Invitation] {
    try principal.mustBeOwner("see the invitations")
    return try await invitations.open()
  }

  /// Takes an invitation back.
  /// - Throws: `forbidden`, `notFound`.
  package func revokeInvitation(
    _ id: InvitationID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try principal.mustBeOwner("take an invitation back")
    try await stores.invitations.deleteInvitation(id)
    await audit.record(.invitationRevoked, by: AuditActor(principal), about: id.text)
  }
}
