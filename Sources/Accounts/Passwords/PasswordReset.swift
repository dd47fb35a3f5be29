/// A new password for who reads the account's verified mailbox or phone, and has forgotten the old
/// one.
struct PasswordReset: Sendable {
  let codes: OneTimeCodes
  let contacts: any ContactStore
  let factors: SecondFactors
  let hasher: PasswordHasher
  let rules: PasswordRules

  /// Answers somebody who typed an address, the same for known and unknown ones.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  func begin(
    _ destination: CodeDestination
  ) async throws(AccountError) -> CodeRequest {
    let account = try await contacts.account(reachedAt: destination)
    return try await codes.post(to: destination, of: account, for: .resetPassword)
  }

  /// Puts `typed` in the place of the forgotten password and ends every session of the account.
  /// The code stays good where the password breaks the rules.
  /// - Returns: whose it is, and the sessions that ended.
  /// - Throws: `codeWrong`, `codeExpired`, `tooManyTries`; `empty`, `tooShort`, `tooLong` with the
  ///   field `newPassword`; `busy`, ….
  func finish(
    _ typed: String, code: String, of request: String
  ) async throws(AccountError) -> (account: Account, ended: [Session]) {
    let code = try await codes.guess(code, of: request, for: .resetPassword)
    guard let id = code.account, let record = try await contacts.record(of: id) else {
      throw .codeExpired
    }
    let isFactorActive = try await factors.isActive(for: id)
    let password = try rules.newPassword(
      typed, for: record.account, withFactor: isFactorActive)
    let hash = try await hasher.hash(password)
    let ended = try await codes.redeem(code, for: .password(hash))
    return (record.account, ended)
  }
}
