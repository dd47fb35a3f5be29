/// A person's second factor and recovery codes.
extension Gate {
  /// Makes a secret for an authenticator app; it asks nothing until it is confirmed.
  /// - Throws: `proofNeeded`, `factorActive`.
  package func enrolFactor(by principal: Principal) async throws(AccountError) -> FactorEnrolment {
    try requireFreshProof(principal)
    return try await proofs.factors.enrol(try await account(of: principal))
  }

  /// Activates it with a first code of the app.
  /// - Returns: the recovery codes, for the one time they are shown.
  /// - Throws: `malformed`, `codeWrong`, `noFactor`, `factorActive`, `proofNeeded`.
  package func confirmFactor(
    _ code: String, by principal: Principal
  ) async throws(AccountError) -> [EntryCode] {
    try requireFreshProof(principal)
    let codes = try await proofs.factors.confirm(code, of: principal.account)
    await audit.record(.factorAdded, by: AuditActor(principal))
    return codes
  }

  /// Forgets factor and recovery codes; the password stands alone again, so it must be long enough.
  /// - Throws: `wrongPassword`, `noFactor`; `tooShort` where the password has to be changed first.
  package func removeFactor(
    password: String, by principal: Principal
  ) async throws(AccountError) {
    let present = try await proofs.current.check(password, of: principal.account).password
    try proofs.reset.rules.checkStandsAlone(present)
    try await proofs.factors.remove(from: principal.account)
    await audit.record(.factorRemoved, by: AuditActor(principal))
  }

  /// Makes ten new recovery codes; the earlier ones are void.
  /// - Throws: `proofNeeded`, `noFactor`.
  package func renewRecoveryCodes(
    by principal: Principal
  ) async throws(AccountError) -> [EntryCode] {
    try requireFreshProof(principal)
    let codes = try await proofs.factors.renewRecoveryCodes(of: principal.account)
    await audit.record(.recoveryCodesMade, by: AuditActor(principal))
    return codes
  }
}
