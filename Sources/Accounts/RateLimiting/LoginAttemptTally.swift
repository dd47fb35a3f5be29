/// How often guesses failed, those on their way included, and when the last one began.
package struct LoginAttemptTally: Hashable, Sendable {
  package var failures: Int
  package var last: SteadyTime

  package init(failures: Int, last: SteadyTime) {
    self.failures = failures
    self.last = last
  }
}

/// What is counted: guesses at an account, from a source, or both.
package struct GuessKey: Hashable, Sendable {
  /// Neither addresses that somebody typed nor those of peers are kept, only their digests.
  package let digest: SecretDigest
  /// The account whose owner can have it forgotten; nil for a source alone.
  package let account: SecretDigest?

  package init(digest: SecretDigest, account: SecretDigest?) {
    self.digest = digest
    self.account = account
  }
}

/// Where tallies are kept.
package protocol LoginAttemptLog: Sendable {
  /// Reads the tallies under `keys`, in their order, lets `change` decide, and keeps what it
  /// changed: one step, so that of many guesses at once each is counted. nil forgets a tally.
  func changeTallies<Value: Sendable>(
    _ keys: [GuessKey], _ change: @escaping @Sendable (inout [LoginAttemptTally?]) -> Value
  ) async throws(AccountError) -> Value

  /// Forgets what was counted at an account.
  func deleteTallies(at account: SecretDigest) async throws(AccountError)

  /// Forgets tallies whose last failure was `age` before `now` or earlier; those of another boot of
  /// the machine are kept as if the last were `now`.
  func carryTallies(to now: SteadyTime, forgetting age: Duration) async throws(AccountError)
}
