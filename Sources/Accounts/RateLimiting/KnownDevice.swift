/// What a device keeps that has logged in: 256 random bits that prove it later, to be let through
/// where strangers have to wait (OWASP's device cookie). It opens nothing.
package struct DeviceToken: Sendable, Redacted {
  /// The secret itself, for a cookie, a header or a file with mode 0600.
  package var text: String { token.text }
  private let token: SessionToken

  init(from random: RandomSource) { token = SessionToken(from: random) }

  /// Reads what a front end was handed; nil where it cannot be one.
  package init?(_ text: String) {
    guard let token = SessionToken(text) else { return nil }
    self.token = token
  }

  var digest: SecretDigest { SecretDigest(of: token.text, purpose: "device token") }

  /// What the request brings that runs here; the edge sets it.
  @TaskLocal package static var presented: DeviceToken?
}

/// Where devices are kept, under the digests of their tokens, each bound to one account.
package protocol DeviceStore: Sendable {
  /// Keeps a device of `account`; of too many the oldest goes.
  func insertDevice(_ digest: SecretDigest, of account: AccountID) async throws(AccountError)

  /// Whether a device is one of the account with this address; for nil, one of any account.
  func isDevice(
    _ digest: SecretDigest, of email: EmailAddress?
  ) async throws(AccountError) -> Bool

  /// Forgets a device; an unknown one is no error.
  func deleteDevice(_ digest: SecretDigest) async throws(AccountError)
}
