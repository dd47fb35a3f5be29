/// The fields of a login with a one-time code.
public struct CodeCredentials: Sendable, Redacted {
  let request: String
  let code: String
  let secondFactor: String?

  /// - Parameters:
  ///   - request: The identity of the request for which the code was sent.
  ///   - code: As typed.
  ///   - secondFactor: As typed, if the account has one.
  public init(request: String, code: String, secondFactor: String? = nil) {
    self.request = request
    self.code = code
    self.secondFactor = secondFactor
  }
}

/// Login with a code that was sent to a verified address or number (E4).
struct CodeLogin: LoginMethod {
  let name = "code"
  let codes: OneTimeCodes
  let contacts: any ContactStore
  let factors: SecondFactors

  /// Sends a code where `destination` is verified; the answer is the same when it is not.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  func sendCode(to destination: CodeDestination) async throws(AccountError) -> CodeRequest {
    let account = try await contacts.account(reachedAt: destination)
    return try await codes.enqueue(to: destination, of: account, for: .logIn)
  }

  func validate(_ credentials: CodeCredentials) throws(AccountError) {
    _ = try OneTimeCode(typed: credentials.code, digits: codes.policy.digits)
  }

  /// Checks the code, then the second factor, then uses the code up. A missing second factor leaves
  /// the code valid.
  func authenticate(_ credentials: CodeCredentials) async throws(AccountError) -> AccountRecord {
    let code = try await codes.check(credentials.code, of: credentials.request, for: .logIn)
    guard let id = code.account, let record = try await contacts.record(of: id) else {
      throw .codeExpired
    }
    do throws(AccountError) {
      try await factors.check(credentials.secondFactor, of: id)
    } catch  where error.code == .wrongCredentials {
      // Otherwise a stranger who reads the mailbox could try second factors for ten minutes.
      try await codes.countTry(of: code)
      throw error
    }
    try await codes.redeem(code)
    return record
  }
}
