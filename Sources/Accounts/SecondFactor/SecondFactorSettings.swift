import Validation

/// Adds and removes a person's second factor and recovery codes. Everything here needs a recent
/// proof of identity.
public struct SecondFactorSettings: Sendable {
  let factors: SecondFactors
  let contacts: any ContactStore
  let current: CurrentPassword
  let rules: RuleSet
  let sessions: Sessions
  let rateLimiter: RateLimiter
  let announcer: ChangeAnnouncer
  let audit: AuditLog

  /// Makes a secret for an authenticator app; logins ask for it after `confirm`.
  /// - Throws: `proofNeeded`, `factorActive`.
  public func enrol(
    by principal: SessionPrincipal
  ) async throws(AccountError) -> FactorEnrolment {
    try sessions.requireFreshProof(principal)
    return try await factors.enrol(try await contacts.account(of: principal))
  }

  /// Activates the secret with a first code of the app. The person's other sessions end, as they
  /// were opened without the factor.
  /// - Returns: The recovery codes, for the one time they are shown.
  /// - Throws: `malformed`, `codeWrong`, `tooManyTries`, `noFactor`, `factorActive`, `proofNeeded`.
  public func confirm(
    _ code: String, by principal: SessionPrincipal
  ) async throws(AccountError) -> [EntryCode] {
    try sessions.requireFreshProof(principal)
    let account = try await contacts.account(of: principal)
    let (codes, ended) = try await audit.recordingRefusal(
      .factorAdded, by: AuditActor(principal)
    ) { () throws(AccountError) in
      try await rateLimiter.limiting(account.email) { () throws(AccountError) in
        try await factors.confirm(code, of: account.id, keeping: principal.session)
      }
    }
    sessions.endDeleted(ended)
    await announcer.announce(.factorAdded, of: account)
    return codes
  }

  /// Deletes factor and recovery codes. The password must be long enough to stand alone.
  /// - Throws: `proofNeeded`, `wrongPassword`, `tooManyTries`, `noFactor`; `tooShort` when the
  ///   password has to be changed first.
  public func remove(
    password: String, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try sessions.requireFreshProof(principal)
    let account = try await audit.recordingRefusal(
      .factorRemoved, by: AuditActor(principal)
    ) { () throws(AccountError) in
      let (record, password) = try await current.check(password, of: principal.account)
      let minimum = PasswordPolicy.minimum(of: rules[.password].rules, hasSecondFactor: false)
      guard password.codePoints >= minimum else {
        throw .passwordTooShortAlone(minimum: minimum)
      }
      try await factors.remove(from: principal.account)
      return record.account
    }
    await announcer.announce(.factorRemoved, of: account)
  }

  /// Makes ten new recovery codes; the earlier ones are void.
  /// - Throws: `proofNeeded`, `noFactor`.
  public func renewRecoveryCodes(
    by principal: SessionPrincipal
  ) async throws(AccountError) -> [EntryCode] {
    try sessions.requireFreshProof(principal)
    let account = try await contacts.account(of: principal)
    let codes = try await factors.renewRecoveryCodes(of: account.id)
    await announcer.announce(.recoveryCodes, of: account)
    return codes
  }
}
