import Foundation

/// Makes, sends and checks one-time codes (D8).
///
/// A code has a million possibilities: no hash hides it from who can try them all. It is safe
/// because it lives ten minutes at most, dies with the fifth wrong try, and is deleted when it is
/// used; meanwhile the database holds an HMAC under the key in `theater.key`, which a copy of the
/// database alone does not give away. A slow hash would cost every honest try and buy an attacker's
/// machine a minute.
///
/// Its life and the waits are measured in `SteadyTime`: a restart of the controller and a clock that
/// is set change nothing; after a restart of the machine codes are void and waits begin anew.
struct OneTimeCodes: Sendable {
  let store: any CodeStore
  let key: SealingKey
  let delivery: any MessageDelivery
  let throttle: RateLimiter
  let policy: CodePolicy
  let steady: SteadyClock
  let clock: WallClock
  let random: RandomSource

  /// Sends a code to a person whose account is known to the asker, and waits until it is sent.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `deliveryFailed`, `busy`, ….
  func send(
    to destination: CodeDestination, of account: AccountID, for purpose: CodePurpose
  ) async throws(AccountError) -> CodeRequest {
    try checkReach(destination.channel)
    // Counted for the account, whatever addresses it names.
    let (request, code) = try await issue(
      purpose, to: "\(account.text) \(destination.channel.rawValue)", for: .session,
      account: account, destination: destination)
    try await delivery.deliver(AccountMessage(code, to: destination, for: purpose))
    return request
  }

  /// Answers a request for a code in the same way whether or not an account has the typed address.
  /// If one has, a code is sent afterwards, to the verified address as it is stored: another
  /// spelling of it may be another mailbox (RFC 5321, section 2.4).
  /// - Parameters:
  ///   - typed: the address or number, as typed.
  ///   - account: the account that has verified it, if any.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  func post(
    to typed: CodeDestination, of account: Account?, for purpose: CodePurpose
  ) async throws(AccountError) -> CodeRequest {
    try checkReach(typed.channel)
    let asker = try await asker(for: account?.email, at: typed)
    let verified = account.map { typed.asVerified(of: $0) }
    let (request, code) = try await issue(
      purpose, to: typed.key, for: asker, account: account?.id, destination: verified)
    if let verified { delivery.post(AccountMessage(code, to: verified, for: purpose)) }
    return request
  }

  /// The same as `check`, slowed down for whoever guesses; a login is, whatever its method.
  /// - Throws: `tooManyTries`; as `check`.
  func guess(
    _ typed: String, of request: String, for purpose: CodePurpose
  ) async throws(AccountError) -> PendingCode {
    try await throttle.guarding(nil) { () throws(AccountError) in
      try await check(typed, of: request, for: purpose)
    }
  }

  /// The code of `request`, where `typed` is it. It stays good until it is redeemed.
  /// - Throws: `empty`, `malformed`, `codeWrong`, `codeExpired`, ….
  func check(
    _ typed: String, of request: String, for purpose: CodePurpose
  ) async throws(AccountError) -> PendingCode {
    let code = try OneTimeCode(typed: typed, digits: policy.digits)
    let id = CodeRequestID(request)
    return try await store.code(
      id, for: purpose, digest: digest(of: code, id, purpose), by: policy, at: steady.now())
  }

  /// Counts what was shown beside a right code, and was wrong, as a wrong try.
  func countTry(of code: PendingCode) async throws(AccountError) {
    do throws(AccountError) {
      _ = try await store.code(
        code.request, for: code.purpose, digest: code.target, by: policy, at: steady.now())
    } catch  where [.codeWrong, .codeExpired].contains(error.code) {
      // Counted.
    }
  }

  /// Uses a code up for `effect`: once, whoever else has it.
  /// - Returns: the sessions that ended with it.
  /// - Throws: `codeExpired`, `taken`, ….
  @discardableResult
  func redeem(
    _ code: PendingCode, for effect: CodeEffect = .none
  ) async throws(AccountError) -> [Session] {
    try await store.redeem(code, for: effect, at: clock.now())
  }

  /// Forgets what is void.
  func dropVoid() async throws(AccountError) {
    try await store.dropCodes(by: policy, at: steady.now())
  }

  private func checkReach(_ channel: CodeChannel) throws(AccountError) {
    guard delivery.reaches(channel) else { throw .deliveryUnavailable(channel) }
  }

  /// Whoever asks for a code to somebody's address.
  private func asker(
    for email: EmailAddress?, at destination: CodeDestination
  ) async throws(AccountError) -> CodeAsker {
    // Where nobody has the address too, so that the answer takes as long.
    let email = email ?? EmailAddress(stored: destination.key)
    if let device = try await throttle.knownDevice(of: email) { return .device(device) }
    return Origin.current.isThisMachine ? .terminal : .stranger(AttemptSource(.current))
  }

  private func issue(
    _ purpose: CodePurpose, to place: String, for asker: CodeAsker, account: AccountID?,
    destination: CodeDestination?
  ) async throws(AccountError) -> (CodeRequest, OneTimeCode) {
    let code = OneTimeCode(digits: policy.digits, from: random)
    let id = CodeRequestID(from: random)
    let target = target(place, "\(purpose.rawValue) \(asker.text)")
    // Each purpose has its waits. An hour's sends are counted for all together: it is one mailbox
    // that they fill.
    let own = self.target(place, "sends \(asker.text)")
    var budgets = [
      SendBudget(key: target, schedule: policy.sends),
      SendBudget(key: own, schedule: policy.sends.withoutWaits),
    ]
    var most: Int?
    if case .stranger(let source) = asker {
      budgets += [
        SendBudget(
          key: self.target(place, "strangers"), schedule: policy.strangersSends, share: own),
        SendBudget(key: self.target(source.text, "source"), schedule: policy.sourceSends),
      ]
      most = policy.mostCodes
    }
    let wait = try await store.insert(
      PendingCode(
        request: id, purpose: purpose, target: target, account: account, destination: destination,
        digest: digest(of: code, id, purpose), madeAt: steady.now()),
      within: budgets, most: most, by: policy)
    let request = CodeRequest(
      id: id, digits: policy.digits, validity: policy.validity, resendWait: wait)
    return (request, code)
  }

  /// What stands for a place, so that the database alone does not tell who is asked for.
  private func target(_ place: String, _ context: String) -> SecretDigest {
    key.digest(of: place, context: context, purpose: "code target")
  }

  private func digest(
    of code: OneTimeCode, _ request: CodeRequestID, _ purpose: CodePurpose
  ) -> SecretDigest {
    key.digest(
      of: code.text, context: "\(purpose.rawValue) \(request.text)", purpose: "one-time code")
  }
}

extension CodeDestination {
  /// The same destination in the spelling that its owner has verified. A number has one form.
  fileprivate func asVerified(of account: Account) -> CodeDestination {
    switch self {
    case .email: .email(account.email)
    case .phone: self
    }
  }
}
