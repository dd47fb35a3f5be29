/// A new password for who knows the old one.
struct PasswordChange: Sendable {
  let current: CurrentPassword
  let accounts: any AccountStore
  let factors: SecondFactors
  let hasher: PasswordHasher
  let rules: PasswordRules

  /// Puts `new` in the place of `old`.
  /// - Throws: `wrongPassword`; `empty`, `tooShort`, `tooLong` with the field `newPassword`; `busy`,
  ///   ….
  func change(
    _ old: String, to new: String, of account: AccountID
  ) async throws(AccountError) {
    let isFactorActive = try await factors.isActive(for: account)
    let record = try await current.check(old, of: account).record
    let password = try rules.newPassword(new, for: record.account, withFactor: isFactorActive)
    let hash = try await hasher.hash(password)
    try await accounts.replaceHash(record.passwordHash, of: account, with: hash)
  }
}
