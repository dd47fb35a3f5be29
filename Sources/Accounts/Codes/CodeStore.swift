import Foundation

/// A sent code, stored until it is used, replaced or void.
public struct PendingCode: Sendable {
  /// The request that the code is valid with.
  public let request: CodeRequestID
  /// The only action that the code permits.
  public let purpose: CodePurpose
  /// Digest of purpose, requester and account or typed address; there is one code for each target.
  public let target: SecretDigest
  /// nil when the address belongs to no account. Such a code is stored like any other, so that the
  /// answer does not depend on it.
  public let account: AccountID?
  /// The address or number that it verifies; nil when it was not sent.
  public let destination: CodeDestination?
  /// The digest of the code, which is not stored.
  public let digest: SecretDigest
  /// When it was made, by the steady clock. A restart of the machine voids the code.
  public let madeAt: SteadyTime

  public init(
    request: CodeRequestID, purpose: CodePurpose, target: SecretDigest, account: AccountID?,
    destination: CodeDestination?, digest: SecretDigest, madeAt: SteadyTime
  ) {
    self.request = request
    self.purpose = purpose
    self.target = target
    self.account = account
    self.destination = destination
    self.digest = digest
    self.madeAt = madeAt
  }
}

/// The effect of a correct code, in one transaction with its end. An effect that changes the account
/// voids its codes for login and new passwords.
public enum CodeEffect: Sendable {
  /// Sets and verifies the account's address.
  case email(EmailAddress)
  /// Sets and verifies the account's phone number.
  case phone(PhoneNumber)
  /// Sets the account's password and ends its sessions.
  case password(PasswordHash)
  /// Only uses the code up.
  case none
}

/// Stores one-time codes with their attempts and sends. Each function is one transaction.
public protocol CodeStore: Sendable {
  /// Replaces an earlier code of the same target, and counts the send in each of `budgets`.
  /// - Parameters:
  ///   - budgets: All must allow the send.
  ///   - most: The most pending codes; nil for any number.
  /// - Returns: The time until the next send is allowed.
  /// - Throws: `tooEarly` when this send is not allowed; `busy` when too many codes are pending.
  func insert(
    _ code: PendingCode, within budgets: [SendBudget], most: Int?, by policy: CodePolicy
  ) async throws(AccountError) -> Duration

  /// Returns the code of a request when `digest` is its digest; otherwise counts a wrong attempt.
  /// - Throws: `codeWrong`; `codeExpired` when there is no valid code.
  func code(
    _ request: CodeRequestID, for purpose: CodePurpose, digest: SecretDigest, by policy: CodePolicy,
    at now: SteadyTime
  ) async throws(AccountError) -> PendingCode

  /// Uses a code up and applies its effect: both or neither.
  /// - Returns: The sessions that ended with it.
  /// - Throws: `codeExpired` when it was used meanwhile; `taken` when the address or number belongs
  ///   to another account.
  func redeem(
    _ code: PendingCode, for effect: CodeEffect, at date: Date
  ) async throws(AccountError) -> [Session]

  /// Deletes void codes and sends that no longer count.
  func deleteVoidCodes(by policy: CodePolicy, at now: SteadyTime) async throws(AccountError)
}
