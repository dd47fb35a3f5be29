import Synchronization

/// The code with which the first owner registers. It lives only as a digest, only in memory, and
/// only while there is no account: a restart makes a new one.
final class SetupCode: Sendable {
  private let digest = Mutex<SecretDigest?>(nil)

  /// Makes a code; an earlier one is void.
  func issue(from random: RandomSource) -> EntryCode {
    let code = EntryCode(from: random)
    digest.withLock { $0 = code.digest }
    return code
  }

  /// Passes for the code that was issued last.
  /// - Throws: `setupClosed` where there is an account, `codeInvalid` for another code.
  func check(_ code: EntryCode) throws(AccountError) {
    guard let expected = digest.withLock({ $0 }) else { throw .setupClosed }
    guard expected == code.digest else { throw .codeInvalid }
  }

  /// There is an account now.
  func close() {
    digest.withLock { $0 = nil }
  }
}
