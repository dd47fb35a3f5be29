/// Proves that a person reads a mailbox or a phone: a code goes there and comes back typed (D1).
struct Verification: Sendable {
  let codes: OneTimeCodes

  /// Sends a code to the account's own address, or to `address`, which becomes the account's with
  /// the code.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `deliveryFailed`, ….
  func sendEmailCode(
    to address: EmailAddress, of account: AccountID
  ) async throws(AccountError) -> CodeRequest {
    try await codes.send(to: .email(address), of: account, for: .verifyEmail)
  }

  /// Sends a code to `number`, which becomes the account's with the code.
  /// - Throws: as above.
  func sendPhoneCode(
    to number: PhoneNumber, of account: AccountID
  ) async throws(AccountError) -> CodeRequest {
    try await codes.send(to: .phone(number), of: account, for: .verifyPhone)
  }

  /// Takes a code that was sent for `account`.
  /// - Returns: what is proven now.
  /// - Throws: `codeWrong`, `codeExpired`, `tooManyTries`, `taken`, ….
  func confirm(
    _ typed: String, of request: String, for purpose: CodePurpose, by account: AccountID
  ) async throws(AccountError) -> CodeDestination {
    let code = try await codes.guess(typed, of: request, for: purpose)
    // Somebody else's code is not told from none.
    guard code.account == account, let destination = code.destination else { throw .codeExpired }
    switch destination {
    case .email(let address): try await codes.redeem(code, for: .email(address))
    case .phone(let number): try await codes.redeem(code, for: .phone(number))
    }
    return destination
  }
}
