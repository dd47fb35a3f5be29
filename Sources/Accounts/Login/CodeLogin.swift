/// What a person types to log in with a one-time code.
package struct CodeCredentials: Sendable, Redacted {
  let request: String
  let code: String
  let secondFactor: String?

  /// - Parameters:
  ///   - request: the identity of the request for which the code was sent.
  ///   - code: as typed.
  ///   - secondFactor: as typed, where the account has one.
  package init(request: String, code: String, secondFactor: String? = nil) {
    self.request = request
    self.code = code
    self.secondFactor = secondFactor
  }
}

/// Logging in with a code that was sent to a verified address or number (E4): the steps that differ
/// from a password, in the same skeleton.
struct CodeLogin: LoginMethod {
  let name = "code"
  let codes: OneTimeCodes
  let contacts: any ContactStore
  let factors: SecondFactors

  /// Answers somebody who typed an address, the same for known and unknown ones.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  func sendCode(to destination: CodeDestination) async throws(AccountError) -> CodeRequest {
    let account = try await contacts.account(reachedAt: destination)
    return try await codes.post(to: destination, of: account, for: .logIn)
  }

  func validate(_ credentials: CodeCredentials) throws(AccountError) {
    _ = try OneTimeCode(typed: credentials.code, digits: codes.policy.digits)
  }

  /// Checks the code, the second factor, and uses the code up: a second factor that is missing
  /// leaves it good.
  func authenticate(_ credentials: CodeCredentials) async throws(AccountError) -> AccountRecord {
    let code = try await codes.check(credentials.code, of: credentials.request, for: .logIn)
    guard let id = code.account, let record = try await contacts.record(of: id) else {
      throw .codeExpired
    }
    do throws(AccountError) {
      try await factors.check(credentials.secondFactor, of: id)
    } catch  where error.code == .wrongCredentials {
      // Else who reads the mailbox could try second factors for ten minutes.
      try await codes.countTry(of: code)
      throw error
    }
    try await codes.redeem(code)
    return record
  }
}
