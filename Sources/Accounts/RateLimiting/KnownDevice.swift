/// Identifies a device that has logged in before: 256 random bits that exempt it from the waits of
/// strangers (OWASP's device cookie). It opens no session.
public struct DeviceToken: Sendable, Redacted {
  /// The secret itself, for a cookie, a header or a file with mode 0600.
  public var text: String { token.text }
  private let token: SessionToken

  init(from random: RandomSource) { token = SessionToken(from: random) }

  /// Reads a token that a device presented; nil when it is malformed.
  public init?(_ text: String) {
    guard let token = SessionToken(text) else { return nil }
    self.token = token
  }

  var digest: SecretDigest { SecretDigest(of: token.text, purpose: "device token") }

  /// The token of the current request; front ends set it around each request.
  @TaskLocal public static var presented: DeviceToken?
}

/// Stores known devices under the digests of their tokens, each bound to one account.
public protocol DeviceStore: Sendable {
  /// Stores a device of `account`; deletes the oldest of too many.
  func insertDevice(_ digest: SecretDigest, of account: AccountID) async throws(AccountError)

  /// Whether a device belongs to the account with this address; for nil, to any account.
  func isDevice(
    _ digest: SecretDigest, of email: EmailAddress?
  ) async throws(AccountError) -> Bool

  /// Deletes a device; an unknown one is no error.
  func deleteDevice(_ digest: SecretDigest) async throws(AccountError)
}

extension AccountError {
  /// Too many attempts failed. The error is the same whether or not the account exists.
  /// - Parameter wait: Until the next attempt is accepted.
  public static func tooManyTries(_ wait: Duration) -> AccountError {
    // Rounded up, so that the wait is over then.
    let seconds = max(1, Int((wait + .milliseconds(999)).components.seconds))
    return AccountError(
      .tooManyTries, message: "Too many attempts failed.",
      hint: "Wait \(words(seconds)), then try again; a device that has logged in before need not "
        + "wait. The owner of the controller's machine can end the wait there with "
        + "`theater accounts unlock EMAIL`.",
      retryAfter: seconds)
  }

  /// Too many wrong access tokens came from one source.
  /// - Parameter wait: Until the next wrong one is looked at.
  static func tooManyWrongTokens(_ wait: Duration) -> AccountError {
    let seconds = max(1, Int((wait + .milliseconds(999)).components.seconds))
    return AccountError(
      .tooManyTries, message: "Too many wrong access tokens came from this address.",
      hint: "Stop the program that sends them, or give it a valid token, which need not wait.",
      retryAfter: seconds)
  }

  /// A wait or validity in words: `a second`, `90 seconds`, `15 minutes`.
  static func words(_ seconds: Int) -> String {
    switch seconds {
    case 1: "a second"
    case ..<120: "\(seconds) seconds"
    default: "\((seconds + 59) / 60) minutes"
    }
  }
}
