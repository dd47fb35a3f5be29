/// Slows guessing down, and locks nobody out (ASVS 5, 6.3.1; OWASP, «Slow Down Online Guessing
/// Attacks with Device Cookies»).
///
/// A guess counts before it is answered, so that many at once gain nothing; a right one is taken
/// back. Strangers are counted by account and source, by account and by source, and wait longer
/// after each failure. A device that has logged in before is counted alone, and so is the terminal
/// of this machine: whoever guesses at an account cannot make them wait. Accounts that do not exist
/// are counted like others.
struct RateLimiter: Sendable {
  let guesses: any LoginAttemptLog
  let devices: any DeviceStore
  let clock: SteadyClock
  let random: RandomSource

  /// After this long without a failure a tally is forgotten.
  static let memory = Duration.seconds(86_400)

  /// Lets `body` prove something to the account with the address `claim`, if there is such an
  /// account, or refuses before it begins. Whatever takes a password, or a code that could be
  /// guessed, goes through here.
  /// - Parameter claim: nil where nobody can know the account before, as with a code that was sent.
  /// - Throws: `tooManyTries` with the seconds to wait, or what `body` throws. Only what says
  ///   nothing about the guess (`busy`, `cancelled`, a fault, what cannot be one) does not count as
  ///   a failure.
  func guarding<Value>(
    _ claim: EmailAddress?, _ body: () async throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    let guess = try await admit(claim)
    do throws(AccountError) {
      let value = try await body()
      await takeBack(guess, isRight: true)
      return value
    } catch {
      if error.code.isNoVerdict { await takeBack(guess, isRight: false) }
      throw error
    }
  }

  /// Makes the device that asks a known one of `account`, unless it is.
  /// - Returns: what the device keeps from now on; nil where it has it already.
  func recognise(_ account: Account) async throws(AccountError) -> DeviceToken? {
    if let known = DeviceToken.presented,
      try await devices.isDevice(known.digest, of: account.email)
    {
      return nil
    }
    let token = DeviceToken(from: random)
    try await devices.insertDevice(token.digest, of: account.id)
    return token
  }

  /// Forgets every failure at the account with this address.
  func unlock(_ email: EmailAddress) async throws(AccountError) {
    try await guesses.deleteTallies(at: LoginAttempt.digest(ofAccount: email.key))
  }

  /// Forgets what is old; for the start of the controller.
  func dropOld() async throws(AccountError) {
    try await guesses.carryTallies(to: clock.now(), forgetting: Self.memory)
  }

  /// The device that asks, where the account with this address knows it; where no account is
  /// claimed, where any does.
  func knownDevice(of claim: EmailAddress?) async throws(AccountError) -> SecretDigest? {
    guard let device = DeviceToken.presented?.digest,
      try await devices.isDevice(device, of: claim)
    else { return nil }
    return device
  }

  private func admit(_ claim: EmailAddress?) async throws(AccountError) -> LoginAttempt {
    if let device = try await knownDevice(of: claim) {
      var guess = LoginAttempt(device: device)
      if try await count(&guess) == .zero { return guess }
      try await devices.deleteDevice(device)
    }
    var guess = LoginAttempt(at: claim)
    let wait = try await count(&guess)
    guard wait == .zero else { throw .tooManyTries(wait) }
    return guess
  }

  /// Counts a guess as failed, unless there is something left to wait.
  /// - Returns: how long; zero where it was counted.
  private func count(_ guess: inout LoginAttempt) async throws(AccountError) -> Duration {
    let now = clock.now()
    let allowances = guess.allowances
    let (wait, before) = try await guesses.changeTallies(guess.keys) { tallies in
      let before = tallies
      let wait = zip(tallies, allowances).map { $1.left($0, at: now) }.max() ?? .zero
      guard wait == .zero else { return (wait, before) }
      for index in tallies.indices {
        tallies[index] = LoginAttemptTally(failures: (tallies[index]?.failures ?? 0) + 1, last: now)
      }
      return (.zero, before)
    }
    guess.counted = (now, before)
    return wait
  }

  /// A right guess clears what was counted for this very client at this account; others, and what
  /// was counted at a source alone, only lose the one that was counted before.
  private func takeBack(_ guess: LoginAttempt, isRight: Bool) async {
    do throws(AccountError) {
      try await guesses.changeTallies(guess.keys) { tallies in
        for index in tallies.indices {
          let failures = (tallies[index]?.failures ?? 0) - 1
          tallies[index]?.failures = failures
          // Unless another was counted since, the wait began with the failure before this one.
          if let counted = guess.counted, tallies[index]?.last == counted.at,
            let before = counted.before[index]
          {
            tallies[index]?.last = before.last
          }
          let isForgiven = isRight && index == 0 && guess.isOfOneClient
          if failures <= 0 || isForgiven { tallies[index] = nil }
        }
      }
    } catch {
      // A full disk: the person is in, and the next success takes it back.
    }
  }
}

extension AttemptAllowance {
  /// What is left to wait after `tally`. A device without standing waits for ever.
  fileprivate func left(_ tally: LoginAttemptTally?, at now: SteadyTime) -> Duration {
    guard let tally, tally.failures >= free else { return .zero }
    if longest == .zero { return .seconds(1) }
    return now.left(of: wait(after: tally.failures), since: tally.last)
  }
}

extension AccountError.Code {
  /// Whether it says nothing about what was guessed.
  fileprivate var isNoVerdict: Bool {
    switch self {
    case .busy, .cancelled, .storageFull, .storageFailed, .internalFailure, .secondFactorNeeded,
      .empty, .malformed, .notLoggedIn, .noFactor, .factorActive:
      true
    default: false
    }
  }
}
