import Foundation

/// A code that was sent, as a store keeps it until it is used, replaced or void.
package struct PendingCode: Sendable {
  package let request: CodeRequestID
  package let purpose: CodePurpose
  /// Of what there is one code of this purpose at a time, as a digest: who asks, and for which
  /// account or typed address, that perhaps nobody has.
  package let target: SecretDigest
  /// Whose account it is about; nil where nobody has the address. Such a code is kept like any
  /// other, so that asking tells nothing.
  package let account: AccountID?
  /// Where it went, and what it proves; nil as above.
  package let destination: CodeDestination?
  package let digest: SecretDigest
  package let madeAt: SteadyTime

  package init(
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

/// What a right code brings about, together with its end. Whatever changes the account voids its
/// other codes that would let somebody in.
package enum CodeEffect: Sendable {
  /// The account's address is this one, and verified.
  case email(EmailAddress)
  /// The account's phone number is this one, and verified.
  case phone(PhoneNumber)
  /// The account's password is this one, and its sessions are over.
  case password(PasswordHash)
  /// Nothing beside the end of the code.
  case none
}

/// Where one-time codes are kept, with their tries and sends. Each function is one step that
/// nothing comes between.
package protocol CodeStore: Sendable {
  /// Keeps a code in place of an earlier one of the same target, and counts the send at each of
  /// `budgets`.
  /// - Parameters:
  ///   - budgets: all of which must have room.
  ///   - most: how many codes may be on their way; nil for any number.
  /// - Returns: how long until the next may be sent.
  /// - Throws: `tooEarly` where this one may not; `busy` where too many codes are on their way.
  func insert(
    _ code: PendingCode, within budgets: [SendBudget], most: Int?, by policy: CodePolicy
  ) async throws(AccountError) -> Duration

  /// The code of a request, where `digest` is its digest; a wrong one is counted.
  /// - Throws: `codeWrong`; `codeExpired` where there is none, or no longer.
  func code(
    _ request: CodeRequestID, for purpose: CodePurpose, digest: SecretDigest, by policy: CodePolicy,
    at now: SteadyTime
  ) async throws(AccountError) -> PendingCode

  /// Uses a code up and brings about its effect: both or neither.
  /// - Returns: the sessions that ended with it.
  /// - Throws: `codeExpired` where it was used meanwhile; `taken` where the address or number
  ///   belongs to another account.
  func redeem(
    _ code: PendingCode, for effect: CodeEffect, at date: Date
  ) async throws(AccountError) -> [Session]

  /// Forgets codes that are void and sends that no longer count.
  func dropCodes(by policy: CodePolicy, at now: SteadyTime) async throws(AccountError)
}
