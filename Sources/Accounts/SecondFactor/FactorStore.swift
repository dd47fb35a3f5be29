import Foundation

/// A stored second factor.
public struct StoredFactor: Sendable {
  /// The secret, encrypted with the key beside the database.
  public let sealed: [UInt8]
  /// Whether a code has confirmed it; until then logins do not ask for it.
  public let isActive: Bool

  public init(sealed: [UInt8], isActive: Bool) {
    self.sealed = sealed
    self.isActive = isActive
  }
}

/// Stores second factors and recovery codes. Each function is one transaction.
public protocol FactorStore: Sendable {
  /// The second factor of an account, confirmed or not; nil if there is none.
  func factor(of account: AccountID) async throws(AccountError) -> StoredFactor?

  /// Stores a secret that is not confirmed yet, in place of an earlier such one.
  /// - Throws: `factorActive` when there is a confirmed one.
  func enrol(sealed: [UInt8], of account: AccountID) async throws(AccountError)

  /// Confirms the secret, marks the step as used, stores recovery codes and ends the account's sessions
  /// but `kept`, as they were opened without the factor: all or nothing.
  /// - Returns: The sessions that ended.
  /// - Throws: `noFactor` when `sealed` is not the unconfirmed secret.
  func activate(
    sealed: [UInt8], of account: AccountID, step: Int64, recoveryCodes: [SecretDigest],
    keeping kept: SessionID, at date: Date
  ) async throws(AccountError) -> [Session]

  /// Marks a step as used.
  /// - Returns: false when it was used before.
  func use(step: Int64, of account: AccountID) async throws(AccountError) -> Bool

  /// Uses a recovery code up.
  /// - Returns: false when it is unknown or was used.
  func use(recoveryCode: SecretDigest, of account: AccountID) async throws(AccountError) -> Bool

  /// The number of unused recovery codes.
  func recoveryCodesLeft(of account: AccountID) async throws(AccountError) -> Int

  /// Replaces the recovery codes.
  /// - Throws: `noFactor` when there is no confirmed factor.
  func replace(
    recoveryCodes: [SecretDigest], of account: AccountID
  ) async throws(AccountError)

  /// Deletes the factor and its recovery codes.
  /// - Throws: `noFactor`.
  func removeFactor(of account: AccountID) async throws(AccountError)
}
