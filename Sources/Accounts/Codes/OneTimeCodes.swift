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
  let delivery: any CodeDelivery
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
    let (request, code) = try await issue(
      purpose, target: account.text, account: account, destination: destination)
    try await delivery.deliver(CodeMessage(code, to: destination, for: purpose))
    return request
  }

  /// Answers somebody who typed an address, the same whether or not an account has it; a code is
  /// sent afterwards where one has.
  /// - Parameters:
  ///   - address: as it was typed, in the form in which addresses are compared.
  ///   - account: who has it, if anybody.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  func post(
    to destination: CodeDestination, comparedAs address: String, of account: AccountID?,
    for purpose: CodePurpose
  ) async throws(AccountError) -> CodeRequest {
    try checkReach(destination.channel)
    let (request, code) = try await issue(
      purpose, target: address, account: account,
      destination: account == nil ? nil : destination)
    if account != nil { delivery.post(CodeMessage(code, to: destination, for: purpose)) }
    return request
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
  /// - Throws: `codeExpired`, `taken`, ….
  func redeem(_ code: PendingCode, for effect: CodeEffect = .none) async throws(AccountError) {
    try await store.redeem(code, for: effect, at: clock.now())
  }

  /// Forgets what is void.
  func dropVoid() async throws(AccountError) {
    try await store.dropCodes(by: policy, at: steady.now())
  }

  private func checkReach(_ channel: CodeChannel) throws(AccountError) {
    guard delivery.reaches(channel) else { throw .deliveryUnavailable(channel) }
  }

  private func issue(
    _ purpose: CodePurpose, target: String, account: AccountID?, destination: CodeDestination?
  ) async throws(AccountError) -> (CodeRequest, OneTimeCode) {
    let code = OneTimeCode(digits: policy.digits, from: random)
    let id = CodeRequestID(from: random)
    let wait = try await store.insert(
      PendingCode(
        request: id, purpose: purpose,
        target: key.digest(of: target, context: purpose.rawValue, purpose: "code target"),
        account: account, destination: destination, digest: digest(of: code, id, purpose),
        madeAt: steady.now()), by: policy)
    let request = CodeRequest(
      id: id, digits: policy.digits, validity: policy.validity, resendWait: wait)
    return (request, code)
  }

  private func digest(
    of code: OneTimeCode, _ request: CodeRequestID, _ purpose: CodePurpose
  ) -> SecretDigest {
    key.digest(
      of: code.text, context: "\(purpose.rawValue) \(request.text)", purpose: "one-time code")
  }
}
