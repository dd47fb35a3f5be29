import Validation

/// What owners do about other people's accounts, and a person about their own name. Every change
/// counts at once, for sessions and streams that are open too.
extension AccountService {
  /// Everybody with an account, in the order in which they came.
  package func people(for principal: SessionPrincipal) async throws(AccountError) -> [Account] {
    try principal.mustBeOwner("see who has an account")
    return try await stores.people.people()
  }

  /// Changes what somebody may do.
  /// - Throws: `forbidden` unless `principal` is an owner; `notFound`; `lastOwner` where nobody
  ///   would be left to let people in; `outOfRange` for the role of guests.
  package func setRole(
    _ role: AccountRole, of account: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try principal.mustBeOwner("change roles")
    guard role != .guest else { throw .outOfRange("role", "member or owner") }
    let gone = try await audit.recording(
      .roleChanged, by: AuditActor(principal), about: "\(await words(account)): \(role.rawValue)"
    ) { () async throws(AccountError) in
      try await stores.people.setRole(role, of: account)
    }
    sessions.changed(account)
    events.publish(.roleChanged(account, role))
    end(gone)
  }

  /// Sets the oldest age rating that somebody may watch, 0 to 21 years; nil for no limit.
  /// - Throws: `forbidden`, `notFound`, `outOfRange`.
  package func setAgeLimit(
    _ years: Int?, of account: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try principal.mustBeOwner("set an age limit")
    try AgeLimit.check(years)
    let subject = "\(await words(account)): \(years.map { "\($0)" } ?? "none")"
    try await audit.recording(
      .ageLimitChanged, by: AuditActor(principal), about: subject
    ) { () async throws(AccountError) in
      try await stores.people.setAgeLimit(years, of: account)
    }
    sessions.changed(account)
  }

  /// Takes an account away, with its sessions, invitations and guest passes. A person may take away
  /// their own.
  /// - Throws: `forbidden`, `notFound`, `lastOwner`.
  package func remove(
    _ account: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    if account != principal.account { try principal.mustBeOwner("remove accounts") }
    let gone = try await audit.recording(
      .accountRemoved, by: AuditActor(principal), about: await words(account)
    ) { () async throws(AccountError) in
      try await stores.people.removeAccount(account)
    }
    sessions.changed(account)
    end(gone)
  }

  /// Changes how a person is called.
  /// - Throws: `empty`, `tooLong`, `malformed` with the field `name`.
  package func setName(
    _ typed: String, by principal: SessionPrincipal
  ) async throws(AccountError) {
    let name = try DisplayName(typed)
    try check(typed, in: .name)
    try await stores.people.setName(name, of: principal.account)
    sessions.changed(principal.account)
    await audit.record(.nameChanged, by: AuditActor(principal), about: name.text)
  }

  /// Tells the rest of the program that sessions ended with what they hung on.
  func end(_ gone: [Session]) {
    sessions.gone(gone) { events.publish(.loggedOut($0)) }
  }

  /// An account or guest pass in the words of the log.
  func words(_ account: AccountID) async -> String {
    let people = (try? await stores.people.people()) ?? []
    if let person = people.first(where: { $0.id == account }) { return person.email.text }
    let passes = (try? await stores.guestPasses.guestPasses()) ?? []
    return passes.first { $0.id == account }?.name.text ?? account.text
  }
}

/// Age ratings, in years.
package enum AgeLimit {
  /// What ratings and limits may be; the highest rating in use anywhere is 21.
  package static let range = 0...21

  /// Passes for a limit in the range and for none.
  /// - Throws: `outOfRange`.
  static func check(_ years: Int?) throws(AccountError) {
    guard let years else { return }
    guard range.contains(years) else {
      throw .outOfRange("age limit", "\(range.lowerBound) to \(range.upperBound) years")
    }
  }
}

extension SessionPrincipal {
  /// Passes for owners.
  /// - Throws: `forbidden`.
  func mustBeOwner(_ deed: String) throws(AccountError) {
    guard role == .owner else { throw .forbidden(deed) }
  }
}
