/// Delays repeated failed attempts without locking any account (ASVS 5, 6.3.1; OWASP, "Slow Down
/// Online Guessing Attacks with Device Cookies").
///
/// An attempt counts as failed before it is answered, so that parallel attempts gain nothing; a
/// success withdraws it. Strangers are counted by account and source, by account, and by source,
/// and wait longer after each failure. A device that has logged in before is counted alone, and so
/// is the terminal of this machine: a stranger's attempts do not delay them. Accounts that do not
/// exist are counted like others.
public struct RateLimiter: Sendable {
  let attempts: any LoginAttemptLog
  let devices: any DeviceStore
  let audit: AuditLog
  let clock: SteadyClock
  let random: RandomSource

  /// The time after its last failure for which a tally counts.
  static let memory = Duration.seconds(86_400)

  /// Runs `body`, which checks a password or a code that could be guessed, unless too many attempts
  /// have failed.
  /// - Parameter claim: The address of the account that the attempt is for; nil when the account is
  ///   not known before, as with a code that was sent.
  /// - Throws: `tooManyTries` with the seconds to wait, or the error of `body`. Every error counts
  ///   as a failed attempt except those that do not show a wrong guess, such as `busy`,
  ///   `cancelled`, a fault, malformed input, or `secondFactorNeeded`.
  func limiting<Value>(
    _ claim: EmailAddress?, _ body: () async throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    let attempt = try await beginAttempt(claim)
    do throws(AccountError) {
      let value = try await body()
      await withdraw(attempt, isRight: true)
      return value
    } catch {
      if error.code.isInconclusive { await withdraw(attempt, isRight: false) }
      throw error
    }
  }

  /// Counts a wrong access token from the requester's source.
  /// - Throws: `tooManyTries` with the seconds to wait; `storageFull`, `storageFailed`.
  func countWrongToken() async throws(AccountError) {
    var attempt = LoginAttempt(withTokenFrom: .current)
    let wait = try await count(&attempt)
    guard wait == .zero else { throw .tooManyWrongTokens(wait) }
  }

  /// Registers the requesting device as a known one of `account`.
  /// - Returns: The token for the device to keep; nil when it is a known one already.
  func register(_ account: Account) async throws(AccountError) -> DeviceToken? {
    if let known = DeviceToken.presented,
      try await devices.isDevice(known.digest, of: account.email)
    {
      return nil
    }
    let token = DeviceToken(from: random)
    try await devices.insertDevice(token.digest, of: account.id)
    return token
  }

  /// Deletes every failed attempt at the account with this address, whether the account exists or
  /// not.
  /// - Throws: `storageFull`, `storageFailed`.
  public func unlock(_ email: EmailAddress) async throws(AccountError) {
    try await attempts.deleteTallies(at: LoginAttempt.digest(ofAccount: email.key))
    await audit.record(.unlocked, by: nil, about: email.text)
  }

  /// Deletes old tallies; for the start of the controller.
  func deleteOldTallies() async throws(AccountError) {
    try await attempts.migrateTallies(to: clock.now(), deletingOlderThan: Self.memory)
  }

  /// Returns the requesting device if the account with this address knows it.
  /// - Parameter claim: nil to accept a known device of any account.
  func knownDevice(of claim: EmailAddress?) async throws(AccountError) -> SecretDigest? {
    guard let device = DeviceToken.presented?.digest,
      try await devices.isDevice(device, of: claim)
    else { return nil }
    return device
  }

  private func beginAttempt(_ claim: EmailAddress?) async throws(AccountError) -> LoginAttempt {
    if let device = try await knownDevice(of: claim) {
      var attempt = LoginAttempt(device: device)
      if try await count(&attempt) == .zero { return attempt }
      try await devices.deleteDevice(device)
    }
    var attempt = LoginAttempt(at: claim)
    let wait = try await count(&attempt)
    guard wait == .zero else { throw .tooManyTries(wait) }
    return attempt
  }

  /// Counts an attempt as failed, unless it has to wait.
  /// - Returns: The time to wait; zero when the attempt was counted.
  private func count(_ attempt: inout LoginAttempt) async throws(AccountError) -> Duration {
    let now = clock.now()
    let allowances = attempt.allowances
    let (wait, before) = try await attempts.changeTallies(attempt.keys) { tallies in
      for index in tallies.indices where tallies[index]?.isForgotten(at: now) == true {
        tallies[index] = nil
      }
      let before = tallies
      let wait = zip(tallies, allowances).map { $1.remainingWait($0, at: now) }.max() ?? .zero
      guard wait == .zero else { return (wait, before) }
      for index in tallies.indices {
        tallies[index] = LoginAttemptTally(failures: (tallies[index]?.failures ?? 0) + 1, last: now)
      }
      return (.zero, before)
    }
    attempt.counted = (now, before)
    return wait
  }

  /// Withdraws an attempt. A successful one also clears the earlier failures of this client at this
  /// account; the tallies of the account and of the source lose only this attempt.
  private func withdraw(_ attempt: LoginAttempt, isRight: Bool) async {
    do throws(AccountError) {
      try await attempts.changeTallies(attempt.keys) { tallies in
        for index in tallies.indices {
          let failures = (tallies[index]?.failures ?? 0) - 1
          tallies[index]?.failures = failures
          // Unless another attempt was counted since, the wait counts from the previous failure.
          if let counted = attempt.counted, tallies[index]?.last == counted.at,
            let before = counted.before[index]
          {
            tallies[index]?.last = before.last
          }
          let isForgiven = isRight && index == 0 && attempt.isOfOneClient
          if failures <= 0 || isForgiven { tallies[index] = nil }
        }
      }
    } catch {
      // A full disk: the login goes on, and the next success clears the tally.
    }
  }
}

extension LoginAttemptTally {
  /// Whether its last failure is so old that the tally no longer counts. The age of a failure
  /// before the last boot of the machine is unknown, so its tally counts.
  fileprivate func isForgotten(at now: SteadyTime) -> Bool {
    now.age(of: last).map { $0 >= RateLimiter.memory } ?? false
  }
}

extension AttemptAllowance {
  /// The remaining wait after `tally`. A known device with too many failures is no longer one.
  fileprivate func remainingWait(_ tally: LoginAttemptTally?, at now: SteadyTime) -> Duration {
    guard let tally, tally.failures >= free else { return .zero }
    if longest == .zero { return .seconds(1) }
    return now.remaining(of: wait(after: tally.failures), since: tally.last)
  }
}

extension AccountError.Code {
  /// Whether the error does not show that the attempt was a wrong guess.
  fileprivate var isInconclusive: Bool {
    switch self {
    case .busy, .cancelled, .storageFull, .storageFailed, .internalFailure, .secondFactorNeeded,
      .empty, .malformed, .notLoggedIn, .noFactor, .factorActive:
      true
    default: false
    }
  }
}
