/// A number of failed attempts, including those being checked, and when the last one began.
public struct LoginAttemptTally: Hashable, Sendable {
  /// 0 or more.
  public var failures: Int
  /// When the last attempt began, by the steady clock.
  public var last: SteadyTime

  public init(failures: Int, last: SteadyTime) {
    self.failures = failures
    self.last = last
  }
}

/// The key of a tally: an account, a source, or both.
public struct AttemptKey: Hashable, Sendable {
  /// The digest of the typed address and of the peer's address, which are not stored themselves.
  public let digest: SecretDigest
  /// The account that `unlock` finds it by; nil for a source alone.
  public let account: SecretDigest?

  public init(digest: SecretDigest, account: SecretDigest?) {
    self.digest = digest
    self.account = account
  }
}

/// Stores tallies of failed attempts.
public protocol LoginAttemptLog: Sendable {
  /// Reads the tallies of `keys`, in their order, and stores them as `change` leaves them, in one
  /// transaction; nil deletes a tally.
  func changeTallies<Value: Sendable>(
    _ keys: [AttemptKey], _ change: @escaping @Sendable (inout [LoginAttemptTally?]) -> Value
  ) async throws(AccountError) -> Value

  /// Deletes the tallies of an account.
  func deleteTallies(at account: SecretDigest) async throws(AccountError)

  /// Deletes tallies whose last failure was `age` before `now` or earlier. The last failure of
  /// another boot of the machine is set to `now`.
  func migrateTallies(
    to now: SteadyTime, deletingOlderThan age: Duration
  ) async throws(AccountError)
}
