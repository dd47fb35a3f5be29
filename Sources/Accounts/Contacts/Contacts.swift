import Validation

/// A person's own view of their account.
public struct OwnAccount: Sendable {
  /// The account without its credentials.
  public let account: Account
  /// The verified address and number.
  public let contact: Contact
  /// Whether a login needs a second factor.
  public let hasSecondFactor: Bool
  /// The number of unused recovery codes.
  public let recoveryCodesLeft: Int
}

/// Changes and verifies a person's own e-mail address and phone number: a code is sent there, and the person types it
/// (D1).
public struct Contacts: Sendable {
  let store: any ContactStore
  let codes: OneTimeCodes
  let factors: SecondFactors
  let sessions: Sessions
  let rules: RuleSet
  let announcer: ChangeAnnouncer
  let audit: AuditLog

  /// Returns the account of a session, with its verified addresses.
  /// - Throws: `notLoggedIn` for guests, who have no account.
  public func ownAccount(of principal: SessionPrincipal) async throws(AccountError) -> OwnAccount {
    let id = principal.account
    return OwnAccount(
      account: try await store.account(of: principal), contact: try await store.contact(of: id),
      hasSecondFactor: try await factors.isActive(for: id),
      recoveryCodesLeft: try await factors.recoveryCodesLeft(of: id))
  }

  /// Sends a code to the account's address, or to another one, which becomes the account's address
  /// when the code is confirmed.
  /// - Parameter address: As typed; nil for the account's own.
  /// - Throws: `empty`, `malformed`, `tooLong`; `proofNeeded` for another address;
  ///   `deliveryUnavailable`, `tooEarly`, `deliveryFailed`, ….
  public func sendEmailCode(
    to address: String?, by principal: SessionPrincipal
  ) async throws(AccountError) -> CodeRequest {
    var email = try await store.account(of: principal).email
    if let address, case let other = try EmailAddress(address), other != email {
      try rules.check(other.text, in: .email)
      try sessions.requireFreshProof(principal)
      email = other
    }
    return try await codes.send(to: .email(email), of: principal.account, for: .verifyEmail)
  }

  /// Sends a code to a number, which becomes the account's when the code is confirmed.
  /// - Throws: `empty`, `malformed`, `tooLong`; `proofNeeded`; the errors of `sendEmailCode`.
  public func sendPhoneCode(
    to number: String, by principal: SessionPrincipal
  ) async throws(AccountError) -> CodeRequest {
    try rules.check(number, in: .phone)
    let number = try PhoneNumber(number)
    let account = try await store.account(of: principal)
    try sessions.requireFreshProof(principal)
    return try await codes.send(to: .phone(number), of: account.id, for: .verifyPhone)
  }

  /// Confirms a code: its address or number becomes the account's, and is verified. A notice goes to the previous
  /// one.
  /// - Throws: `codeWrong`, `codeExpired`, `tooManyTries`, `taken`, ….
  @discardableResult
  public func confirm(
    _ code: String, of request: String, for purpose: CodePurpose, by principal: SessionPrincipal
  ) async throws(AccountError) -> CodeDestination {
    let account = try await store.account(of: principal)
    let phone = try await store.contact(of: account.id).phone
    let verified = try await audit.recordingRefusal(
      .contactVerified, by: AuditActor(account)
    ) { () throws(AccountError) in
      try await redeem(code, of: request, for: purpose, by: account.id)
    }
    // Open sessions show the new address from now on.
    sessions.reloadHolder(account.id)
    switch verified {
    case .email(let email) where email != account.email:
      await announcer.announce(.email, of: account, about: verified.text)
    case .phone(let number) where number != phone:
      await announcer.announce(.phone, of: account, phone: phone, about: verified.text)
    case .email, .phone:
      await audit.record(.contactVerified, by: AuditActor(account), about: verified.text)
    }
    return verified
  }

  private func redeem(
    _ typed: String, of request: String, for purpose: CodePurpose, by account: AccountID
  ) async throws(AccountError) -> CodeDestination {
    let code = try await codes.checkLimited(typed, of: request, for: purpose)
    // Another person's code gets the same answer as an unknown one.
    guard code.account == account, let destination = code.destination else { throw .codeExpired }
    switch destination {
    case .email(let address): try await codes.redeem(code, for: .email(address))
    case .phone(let number): try await codes.redeem(code, for: .phone(number))
    }
    return destination
  }
}

extension ContactStore {
  /// Returns the account of a session as it is now.
  /// - Throws: `notLoggedIn` for guests, who have no account.
  func account(of principal: SessionPrincipal) async throws(AccountError) -> Account {
    guard let record = try await record(of: principal.account) else { throw .notLoggedIn }
    return record.account
  }
}
