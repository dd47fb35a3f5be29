import Foundation

/// Makes, sends and checks one-time codes (D8).
///
/// A code has a million possibilities, so a hash alone does not protect it. It is valid for ten minutes
/// at most, void after the fifth wrong attempt, and deleted when it is used. The database holds its HMAC
/// under the key in `theater.key`, which a copy of the database does not include. A slow hash would
/// delay an attacker by a minute and every person at each attempt.
///
/// Validity and waits are measured in `SteadyTime`: a restart of the controller or a change of the time
/// of day does not affect them; after a restart of the machine codes are void and waits begin anew.
struct OneTimeCodes: Sendable {
  let store: any CodeStore
  let key: SealingKey
  let delivery: any MessageDelivery
  let rateLimiter: RateLimiter
  let policy: CodePolicy
  let steady: SteadyClock
  let clock: WallClock
  let random: RandomSource

  /// Sends a code to a person whose account is known to the requester, and waits until it is sent.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `deliveryFailed`, `busy`, ….
  func send(
    to destination: CodeDestination, of account: AccountID, for purpose: CodePurpose
  ) async throws(AccountError) -> CodeRequest {
    try requireChannel(destination.channel)
    // Counted for the account, whatever the address.
    let (request, code) = try await issue(
      purpose, to: "\(account.text) \(destination.channel.rawValue)", for: .session,
      account: account, destination: destination)
    try await delivery.deliver(message(code, to: destination, for: purpose))
    return request
  }

  /// Answers a request for a code in the same way whether or not the typed address belongs to an
  /// account. If it does, a code is sent afterwards to the stored spelling of the verified address, as
  /// another spelling may be another mailbox (RFC 5321, section 2.4).
  /// - Parameters:
  ///   - typed: The address or number, as typed.
  ///   - account: The account that has verified it.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  func enqueue(
    to typed: CodeDestination, of account: Account?, for purpose: CodePurpose
  ) async throws(AccountError) -> CodeRequest {
    try requireChannel(typed.channel)
    let requester = try await requester(for: account?.email, at: typed)
    let verified = account.map { typed.verifiedSpelling(of: $0) }
    let (request, code) = try await issue(
      purpose, to: typed.key, for: requester, account: account?.id, destination: verified)
    if let verified { delivery.enqueue(message(code, to: verified, for: purpose)) }
    return request
  }

  /// Sends a code to a newcomer, whose address belongs to no account yet, and waits until it is sent.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `deliveryFailed`, `busy`, ….
  func sendToNewcomer(_ destination: CodeDestination) async throws(AccountError) -> CodeRequest {
    try requireChannel(destination.channel)
    let requester = try await requester(for: nil, at: destination)
    let (request, code) = try await issue(
      .register, to: destination.key, for: requester, account: nil, destination: destination)
    try await delivery.deliver(message(code, to: destination, for: .register))
    return request
  }

  /// Does the same as `check`, with a rate limit. Logins and registrations call `check`: they are rate-limited as a
  /// whole.
  /// - Throws: `tooManyTries`; as `check`.
  func checkLimited(
    _ typed: String, of request: String, for purpose: CodePurpose
  ) async throws(AccountError) -> PendingCode {
    try await rateLimiter.limiting(nil) { () throws(AccountError) in
      try await check(typed, of: request, for: purpose)
    }
  }

  /// Returns the code of `request` when `typed` matches. It stays valid until it is redeemed.
  /// - Throws: `empty`, `malformed`, `codeWrong`, `codeExpired`, ….
  func check(
    _ typed: String, of request: String, for purpose: CodePurpose
  ) async throws(AccountError) -> PendingCode {
    let code = try OneTimeCode(typed: typed, digits: policy.digits)
    let id = CodeRequestID(request)
    return try await store.code(
      id, for: purpose, digest: digest(of: code, id, purpose), by: policy, at: steady.now())
  }

  /// Counts a correct code with a wrong second factor as a wrong attempt.
  func countTry(of code: PendingCode) async throws(AccountError) {
    do throws(AccountError) {
      _ = try await store.code(
        code.request, for: code.purpose, digest: code.target, by: policy, at: steady.now())
    } catch  where [.codeWrong, .codeExpired].contains(error.code) {
      // Counted.
    }
  }

  /// Uses a code up and applies `effect`.
  /// - Returns: The sessions that ended with it.
  /// - Throws: `codeExpired`, `taken`, ….
  @discardableResult
  func redeem(
    _ code: PendingCode, for effect: CodeEffect = .none
  ) async throws(AccountError) -> [Session] {
    try await store.redeem(code, for: effect, at: clock.now())
  }

  /// Deletes void codes.
  func deleteVoid() async throws(AccountError) {
    try await store.deleteVoidCodes(by: policy, at: steady.now())
  }

  private func message(
    _ code: OneTimeCode, to destination: CodeDestination, for purpose: CodePurpose
  ) -> AccountMessage {
    AccountMessage(code, to: destination, for: purpose, validity: policy.validity)
  }

  private func requireChannel(_ channel: CodeChannel) throws(AccountError) {
    guard delivery.supports(channel) else { throw .deliveryUnavailable(channel) }
  }

  /// The requester of a code for an address.
  private func requester(
    for email: EmailAddress?, at destination: CodeDestination
  ) async throws(AccountError) -> CodeRequester {
    // Also looked up for an unknown address, so that the answer takes as long.
    let email = email ?? EmailAddress(stored: destination.key)
    if let device = try await rateLimiter.knownDevice(of: email) { return .device(device) }
    return Origin.current.isTerminal ? .terminal : .stranger(AttemptSource(.current))
  }

  private func issue(
    _ purpose: CodePurpose, to place: String, for requester: CodeRequester, account: AccountID?,
    destination: CodeDestination?
  ) async throws(AccountError) -> (CodeRequest, OneTimeCode) {
    let code = OneTimeCode(digits: policy.digits, from: random)
    let id = CodeRequestID(from: random)
    let target = target(place, "\(purpose.rawValue) \(requester.text)")
    // Each purpose has its own waits; the sends of an hour are counted for all purposes together, as
    // they fill one mailbox.
    let own = self.target(place, "sends \(requester.text)")
    var budgets = [
      SendBudget(key: target, schedule: policy.sends),
      SendBudget(key: own, schedule: policy.sends.withoutWaits),
    ]
    var most: Int?
    if case .stranger(let source) = requester {
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

  /// The digest of an address, so that the database alone does not reveal it.
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
  /// The same destination in its verified spelling. A number has one spelling.
  fileprivate func verifiedSpelling(of account: Account) -> CodeDestination {
    switch self {
    case .email: .email(account.email)
    case .phone: self
    }
  }
}
