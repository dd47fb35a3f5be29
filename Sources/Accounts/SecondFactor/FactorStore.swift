import Foundation

/// A second factor as a store keeps it.
package struct StoredFactor: Sendable {
  /// The secret, sealed with the key beside the database.
  package let sealed: [UInt8]
  /// Whether a code has confirmed it; until then it asks nothing of anybody.
  package let isActive: Bool

  package init(sealed: [UInt8], isActive: Bool) {
    self.sealed = sealed
    self.isActive = isActive
  }
}

/// Where second factors and recovery codes are kept. Each function is one step that nothing comes
/// between.
package protocol FactorStore: Sendable {
  func factor(of account: AccountID) async throws(AccountError) -> StoredFactor?

  /// Keeps a secret that waits for its confirmation, in place of an earlier one that does.
  /// - Throws: `factorActive` where there is a confirmed one.
  func enrol(sealed: [UInt8], of account: AccountID) async throws(AccountError)

  /// Confirms the secret, counts the step as used, keeps recovery codes and ends the account's
  /// sessions but `kept`, which have not proven the factor: all or nothing.
  /// - Returns: the sessions that ended.
  /// - Throws: `noFactor` where another secret, or none, waits for it.
  func activate(
    sealed: [UInt8], of account: AccountID, step: Int64, recoveryCodes: [SecretDigest],
    keeping kept: SessionID, at date: Date
  ) async throws(AccountError) -> [Session]

  /// Uses a step up.
  /// - Returns: false where it was used before.
  func use(step: Int64, of account: AccountID) async throws(AccountError) -> Bool

  /// Uses a recovery code up.
  /// - Returns: false where it is unknown or was used.
  func use(recoveryCode: SecretDigest, of account: AccountID) async throws(AccountError) -> Bool

  /// How many recovery codes are unused.
  func recoveryCodesLeft(of account: AccountID) async throws(AccountError) -> Int

  /// Keeps recovery codes in place of the earlier ones.
  /// - Throws: `noFactor` where there is no confirmed factor.
  func replace(
    recoveryCodes: [SecretDigest], of account: AccountID
  ) async throws(AccountError)

  /// Forgets the factor and its recovery codes.
  /// - Throws: `noFactor`.
  func removeFactor(of account: AccountID) async throws(AccountError)
}
