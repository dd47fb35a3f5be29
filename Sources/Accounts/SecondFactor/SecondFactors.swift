import Foundation
import JSON

/// A new secret for an authenticator app.
public struct FactorEnrolment: Sendable, Redacted {
  /// In base 32, for typing.
  public let secret: String
  /// `otpauth://totp/…`, for a QR code.
  public let uri: String

  init(_ secret: [UInt8], of account: Account) {
    self.secret = Base32.text(secret)
    let label = "Home%20Theater:\(PercentEncoding.encode(account.email.text))"
    uri =
      "otpauth://totp/\(label)?secret=\(self.secret)&issuer=Home%20Theater"
      + "&algorithm=SHA1&digits=\(TOTP.digits)&period=\(TOTP.period)"
  }
}

/// The second factor of a login: an authenticator app (TOTP, RFC 6238), with recovery codes for a lost
/// phone.
struct SecondFactors: Sendable {
  let store: any FactorStore
  let key: SealingKey
  let clock: WallClock
  let random: RandomSource

  /// The number of recovery codes.
  static let recoveryCodes = 10
  fileprivate static let purpose = "second factor"

  func isActive(for account: AccountID) async throws(AccountError) -> Bool {
    try await store.factor(of: account)?.isActive ?? false
  }

  /// Makes a secret; `confirm` activates it.
  /// - Throws: `factorActive`.
  func enrol(_ account: Account) async throws(AccountError) -> FactorEnrolment {
    let secret = random.bytes(TOTP.secretBytes)
    let sealed = try key.seal(secret, context: account.id.text, purpose: Self.purpose)
    try await store.enrol(sealed: sealed, of: account.id)
    return FactorEnrolment(secret, of: account)
  }

  /// Checks a first code of the secret and activates it. Ends the account's sessions except `kept`.
  /// - Returns: The recovery codes, which are shown only this once, and the sessions that ended.
  /// - Throws: `malformed`, `totpCodeWrong`, `noFactor`, `factorActive`.
  func confirm(
    _ typed: String, of account: AccountID, keeping kept: SessionID
  ) async throws(AccountError) -> (codes: [EntryCode], ended: [Session]) {
    let code = try OneTimeCode(typed: typed, digits: TOTP.digits)
    guard let factor = try await store.factor(of: account) else { throw .noFactor }
    if factor.isActive { throw .factorActive }
    let secret = try open(factor, of: account)
    guard let step = TOTP.steps(of: code.text, secret, at: clock.now()).first else {
      throw .totpCodeWrong
    }
    let codes = newRecoveryCodes()
    let ended = try await store.activate(
      sealed: factor.sealed, of: account, step: step, recoveryCodes: codes.map(\.digest),
      keeping: kept, at: clock.now())
    return (codes, ended)
  }

  /// Checks the second factor of the account, if it has one: `typed` must be a code of its app or a
  /// recovery code. Each code is accepted once.
  /// - Throws: `secondFactorNeeded` when nothing was typed; `secondFactorWrong`; `storageFailed`.
  func check(_ typed: String?, of account: AccountID) async throws(AccountError) {
    guard let factor = try await store.factor(of: account), factor.isActive else { return }
    guard let typed, !typed.allSatisfy(\.isWhitespace) else { throw .secondFactorNeeded }
    if let recovery = EntryCode(typed: typed) {
      guard try await store.use(recoveryCode: recovery.digest, of: account) else {
        throw .secondFactorWrong
      }
      return
    }
    guard let code = try? OneTimeCode(typed: typed, digits: TOTP.digits) else {
      throw .secondFactorWrong
    }
    let secret = try open(factor, of: account)
    for step in TOTP.steps(of: code.text, secret, at: clock.now()) {
      if try await store.use(step: step, of: account) { return }
    }
    throw .secondFactorWrong
  }

  /// Replaces the recovery codes by new ones.
  /// - Throws: `noFactor`.
  func renewRecoveryCodes(of account: AccountID) async throws(AccountError) -> [EntryCode] {
    let codes = newRecoveryCodes()
    try await store.replace(recoveryCodes: codes.map(\.digest), of: account)
    return codes
  }

  /// The number of unused recovery codes.
  func recoveryCodesLeft(of account: AccountID) async throws(AccountError) -> Int {
    try await store.recoveryCodesLeft(of: account)
  }

  /// Deletes the factor and its recovery codes.
  /// - Throws: `noFactor`.
  func remove(from account: AccountID) async throws(AccountError) {
    try await store.removeFactor(of: account)
  }

  private func open(
    _ factor: StoredFactor, of account: AccountID
  ) throws(AccountError) -> [UInt8] {
    try key.open(factor.sealed, context: account.text, purpose: Self.purpose)
  }

  private func newRecoveryCodes() -> [EntryCode] {
    (0..<Self.recoveryCodes).map { _ in EntryCode(from: random) }
  }
}

extension SealingKey {
  /// Whether the second factor of an account was encrypted with this key.
  public func opens(_ factor: StoredFactor, of account: AccountID) -> Bool {
    (try? open(factor.sealed, context: account.text, purpose: SecondFactors.purpose)) != nil
  }
}
