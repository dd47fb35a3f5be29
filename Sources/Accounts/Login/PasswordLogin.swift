/// The fields of a login with a password.
public struct PasswordCredentials: Sendable, Redacted {
  let email: String
  let password: String
  let secondFactor: String?

  /// Takes everything as typed; `PasswordLogin` checks it.
  /// - Parameter secondFactor: A code of the app or a recovery code, if the account has one.
  public init(email: String, password: String, secondFactor: String? = nil) {
    self.email = email
    self.password = password
    self.secondFactor = secondFactor
  }
}

/// Login with e-mail address and password, and the second factor if there is one (E1).
///
/// The rules for new passwords are not applied: an account may be older than the rules.
public struct PasswordLogin: LoginMethod {
  public let name = "password"
  private let accounts: any AccountStore
  private let hasher: PasswordHasher
  private let factors: SecondFactors

  init(accounts: any AccountStore, hasher: PasswordHasher, factors: SecondFactors) {
    self.accounts = accounts
    self.hasher = hasher
    self.factors = factors
  }

  /// nil for a malformed address: people type passwords into the wrong field.
  public func claim(_ credentials: PasswordCredentials) -> EmailAddress? {
    try? EmailAddress(credentials.email)
  }

  /// - Throws: The first mistake in the form of the address or password, with its field.
  public func validate(_ credentials: PasswordCredentials) throws(AccountError) {
    _ = try EmailAddress(credentials.email)
    _ = try Password(credentials.password)
  }

  /// Compares the password, also for an unknown address, so that both take the same time; then the
  /// code of the second factor.
  /// - Throws: `wrongCredentials`; `secondFactorNeeded` when the account has a factor and no code
  ///   was typed; the error of a wrong code.
  public func authenticate(
    _ credentials: PasswordCredentials
  ) async throws(AccountError) -> AccountRecord {
    let email = try EmailAddress(credentials.email)
    let password = try Password(credentials.password)
    let record = try await accounts.account(withEmail: email)
    let matches = try await hasher.verify(password, against: record?.passwordHash)
    guard let record, matches else { throw .wrongCredentials }
    // Checked after the password, so that a stranger does not learn that there is a second factor.
    try await factors.check(credentials.secondFactor, of: record.account.id)
    return await rehashIfOutdated(record, password)
  }

  /// Replaces a hash that was made with other parameters, while the password is at hand.
  private func rehashIfOutdated(
    _ record: AccountRecord, _ password: Password
  ) async -> AccountRecord {
    guard hasher.isOutdated(record.passwordHash) else { return record }
    do throws(AccountError) {
      let hash = try await hasher.hash(password)
      try await accounts.replaceHash(record.passwordHash, of: record.account.id, with: hash)
      return AccountRecord(
        account: record.account, passwordHash: hash, hasSecondFactor: record.hasSecondFactor)
    } catch {
      // The old hash stays valid; the next login tries again.
      return record
    }
  }
}
