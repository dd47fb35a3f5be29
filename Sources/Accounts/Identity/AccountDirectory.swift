import Validation

/// Changes of accounts: owners change those of other people, and people their own name and language. Open sessions
/// and event streams show a change at once.
public struct AccountDirectory: Sendable {
  let store: any PeopleStore
  let guestPasses: any GuestPassStore
  let sessions: Sessions
  let rules: RuleSet
  let events: AccountEvents
  let audit: AuditLog

  /// Returns all accounts in the order in which they were made.
  /// - Throws: `forbidden` unless `principal` is an owner.
  public func list(for principal: SessionPrincipal) async throws(AccountError) -> [Account] {
    try principal.requireOwner(to: "see who has an account")
    return try await store.people()
  }

  /// Changes an account's role.
  /// - Throws: `forbidden` unless `principal` is an owner; `proofNeeded` for a further owner; `notFound`;
  ///   `lastOwner` when no owner would be left; `outOfRange` for the role of guests.
  public func setRole(
    _ role: AccountRole, of account: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try principal.requireOwner(to: "change roles")
    guard role != .guest else { throw .outOfRange("role", "member or owner") }
    if role == .owner { try sessions.requireFreshProof(principal) }
    let ended = try await audit.recording(
      .roleChanged, by: AuditActor(principal),
      about: "\(await displayName(of: account)): \(role.rawValue)"
    ) { () async throws(AccountError) in
      try await store.setRole(role, of: account)
    }
    sessions.reloadHolder(account)
    events.publish(.roleChanged(account, role))
    sessions.endDeleted(ended)
  }

  /// Sets the highest age rating that a person may watch, 0 to 21 years; nil for no limit.
  /// - Throws: `forbidden`, `notFound`, `outOfRange`.
  public func setAgeLimit(
    _ years: Int?, of account: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try principal.requireOwner(to: "set an age limit")
    try AgeLimit.check(years)
    let subject = "\(await displayName(of: account)): \(years.map { "\($0)" } ?? "none")"
    try await audit.recording(
      .ageLimitChanged, by: AuditActor(principal), about: subject
    ) { () async throws(AccountError) in
      try await store.setAgeLimit(years, of: account)
    }
    sessions.reloadHolder(account)
  }

  /// Deletes an account with its sessions, access tokens, invitations and guest passes. People may delete their own,
  /// after a recent proof of identity.
  /// - Throws: `forbidden`, `proofNeeded`, `notFound`, `lastOwner`.
  public func remove(
    _ account: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    if account == principal.account {
      try sessions.requireFreshProof(principal)
    } else {
      try principal.requireOwner(to: "remove accounts")
    }
    let ended = try await audit.recording(
      .accountRemoved, by: AuditActor(principal), about: await displayName(of: account)
    ) { () async throws(AccountError) in
      try await store.removeAccount(account)
    }
    sessions.reloadHolder(account)
    sessions.endDeleted(ended)
    events.publish(.removed(account))
  }

  /// Changes the display name of the requesting user.
  /// - Throws: `empty`, `tooLong`, `malformed` with the field `name`.
  public func setName(
    _ typed: String, by principal: SessionPrincipal
  ) async throws(AccountError) {
    let name = try DisplayName(typed)
    try rules.check(typed, in: .name)
    try await store.setName(name, of: principal.account)
    sessions.reloadHolder(principal.account)
    await audit.record(.nameChanged, by: AuditActor(principal), about: name.text)
  }

  /// Changes the language of the requesting user; nil for the browser's.
  public func setLanguage(
    _ language: Language?, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try await store.setLanguage(language, of: principal.account)
    sessions.reloadHolder(principal.account)
  }

  /// Returns the address of an account or the name on a guest pass, for the audit log; the identity
  /// itself when both are gone.
  public func displayName(of account: AccountID) async -> String {
    let people = (try? await store.people()) ?? []
    if let person = people.first(where: { $0.id == account }) { return person.email.text }
    let passes = (try? await guestPasses.guestPasses()) ?? []
    return passes.first { $0.id == account }?.name.text ?? account.text
  }
}

/// Age ratings, in years.
public enum AgeLimit {
  /// The allowed ratings and limits; the highest rating in use anywhere is 21.
  public static let range = 0...21

  /// Checks that a limit in years is in the range; nil, for no limit, is always valid.
  /// - Throws: `outOfRange`.
  static func check(_ years: Int?) throws(AccountError) {
    guard let years else { return }
    guard range.contains(years) else {
      throw .outOfRange("age limit", "\(range.lowerBound) to \(range.upperBound) years")
    }
  }
}

extension SessionPrincipal {
  /// Checks that the principal is an owner.
  /// - Parameter action: The rest of the sentence "Only an owner may …".
  /// - Throws: `forbidden`.
  func requireOwner(to action: String) throws(AccountError) {
    guard role == .owner else { throw .forbidden(action) }
  }
}

/// Stores changes to people's accounts. A change and the check that an owner remains are one transaction.
public protocol PeopleStore: Sendable {
  /// All accounts in the order in which they were made.
  func people() async throws(AccountError) -> [Account]

  /// Changes an account's role. An account that is no owner any more loses its invitations and guest
  /// passes.
  /// - Returns: The guests' sessions that ended with it.
  /// - Throws: `notFound`; `lastOwner`.
  func setRole(_ role: AccountRole, of account: AccountID) async throws(AccountError) -> [Session]

  /// Changes the highest age rating that an account may watch, in years; nil for no limit.
  /// - Throws: `notFound`.
  func setAgeLimit(_ years: Int?, of account: AccountID) async throws(AccountError)

  /// Changes a person's display name.
  /// - Throws: `notFound`.
  func setName(_ name: DisplayName, of account: AccountID) async throws(AccountError)

  /// Changes a person's language; nil for the browser's.
  /// - Throws: `notFound`.
  func setLanguage(_ language: Language?, of account: AccountID) async throws(AccountError)

  /// Deletes an account, its sessions and access tokens, its invitations and guest passes with their sessions, and its
  /// saved positions.
  /// - Returns: The sessions that ended with it.
  /// - Throws: `notFound`; `lastOwner`.
  func removeAccount(_ account: AccountID) async throws(AccountError) -> [Session]
}
