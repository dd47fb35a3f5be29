/// A new password for who knows the old one.
struct PasswordChange: Sendable {
  let current: CurrentPassword
  let accounts: any AccountStore
  let factors: SecondFactors
  let hasher: PasswordHasher
  let rules: PasswordRules

  /// Puts `new` in the place of `old`; the person's other sessions end with it.
  /// - Returns: whose it is, and the sessions that ended.
  /// - Throws: `wrongPassword`, `tooManyTries`; `empty`, `tooShort`, `tooLong` with the field
  ///   `newPassword`; `busy`, ….
  func change(
    _ old: String, to new: String, by principal: SessionPrincipal
  ) async throws(AccountError) -> (account: Account, ended: [Session]) {
    let isFactorActive = try await factors.isActive(for: principal.account)
    let record = try await current.check(old, of: principal.account).record
    let password = try rules.newPassword(new, for: record.account, withFactor: isFactorActive)
    let hash = try await hasher.hash(password)
    let ended = try await accounts.changePassword(
      record.passwordHash, of: principal.account, to: hash, keeping: principal.session)
    return (record.account, ended)
  }
}
