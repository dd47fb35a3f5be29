/// A person's second factor and recovery codes.
extension AccountService {
  /// Makes a secret for an authenticator app; it asks nothing until it is confirmed.
  /// - Throws: `proofNeeded`, `factorActive`.
  package func enrolFactor(by principal: SessionPrincipal) async throws(AccountError)
    -> FactorEnrolment
  {
    try requireFreshProof(principal)
    return try await proofs.factors.enrol(try await account(of: principal))
  }

  /// Activates it with a first code of the app. The person's other sessions end: nobody has proven
  /// the factor for them.
  /// - Returns: the recovery codes, for the one time they are shown.
  /// - Throws: `malformed`, `codeWrong`, `tooManyTries`, `noFactor`, `factorActive`, `proofNeeded`.
  package func confirmFactor(
    _ code: String, by principal: SessionPrincipal
  ) async throws(AccountError) -> [EntryCode] {
    try requireFreshProof(principal)
    let account = try await account(of: principal)
    let (codes, ended) = try await audit.proving(
      .factorAdded, by: AuditActor(principal)
    ) { () throws(AccountError) in
      try await throttle.guarding(account.email) { () throws(AccountError) in
        try await proofs.factors.confirm(code, of: account.id, keeping: principal.session)
      }
    }
    end(ended)
    await announce(.factorAdded, of: account)
    return codes
  }

  /// Forgets factor and recovery codes; the password stands alone again, so it must be long enough.
  /// The fresh proof is one by the factor too, which the password alone is not.
  /// - Throws: `proofNeeded`, `wrongPassword`, `tooManyTries`, `noFactor`; `tooShort` where the
  ///   password has to be changed first.
  package func removeFactor(
    password: String, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try requireFreshProof(principal)
    let account = try await audit.proving(
      .factorRemoved, by: AuditActor(principal)
    ) { () throws(AccountError) in
      let (record, present) = try await proofs.current.check(password, of: principal.account)
      try proofs.reset.rules.checkStandsAlone(present)
      try await proofs.factors.remove(from: principal.account)
      return record.account
    }
    await announce(.factorRemoved, of: account)
  }

  /// Makes ten new recovery codes; the earlier ones are void.
  /// - Throws: `proofNeeded`, `noFactor`.
  package func renewRecoveryCodes(
    by principal: SessionPrincipal
  ) async throws(AccountError) -> [EntryCode] {
    try requireFreshProof(principal)
    let account = try await account(of: principal)
    let codes = try await proofs.factors.renewRecoveryCodes(of: account.id)
    await announce(.recoveryCodes, of: account)
    return codes
  }
}
