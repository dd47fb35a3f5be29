import Validation

/// What a person sees of their own account.
package struct OwnAccount: Sendable {
  package let account: Account
  package let contact: Contact
  package let hasSecondFactor: Bool
  /// Recovery codes that are not used yet.
  package let recoveryCodesLeft: Int
}

/// A person's addresses, and what of them is proven.
extension AccountService {
  /// The account of who asks, with what is proven of it.
  /// - Throws: `notLoggedIn` for guests, who have none.
  package func ownAccount(of principal: SessionPrincipal) async throws(AccountError) -> OwnAccount {
    let id = principal.account
    return OwnAccount(
      account: try await account(of: principal), contact: try await stores.contacts.contact(of: id),
      hasSecondFactor: try await proofs.factors.isActive(for: id),
      recoveryCodesLeft: try await proofs.factors.recoveryCodesLeft(of: id))
  }

  /// Sends a code to the person's address; with `address` to that one, which becomes the account's
  /// with the code.
  /// - Throws: `empty`, `malformed`, `tooLong`; `proofNeeded` for another address;
  ///   `deliveryUnavailable`, `tooEarly`, `deliveryFailed`, ….
  package func sendEmailCode(
    to address: String?, by principal: SessionPrincipal
  ) async throws(AccountError) -> CodeRequest {
    let present = try await account(of: principal).email
    var email =
      try address.map { (typed) throws(AccountError) in try EmailAddress(typed) } ?? present
    if email == present {
      // However it is typed now, the code goes where the account's messages go.
      email = present
    } else {
      try check(email.text, in: .email)
      try requireFreshProof(principal)
    }
    return try await proofs.verification.sendEmailCode(to: email, of: principal.account)
  }

  /// Sends a code to a number, which becomes the account's with the code.
  /// - Throws: `empty`, `malformed`, `tooLong`; `proofNeeded`; as above.
  package func sendPhoneCode(
    to number: String, by principal: SessionPrincipal
  ) async throws(AccountError) -> CodeRequest {
    try check(number, in: .phone)
    let number = try PhoneNumber(number)
    let account = try await account(of: principal)
    try requireFreshProof(principal)
    return try await proofs.verification.sendPhoneCode(to: number, of: account.id)
  }

  /// Takes the code that was sent: the address or number is the account's, and verified. Another one
  /// than before is told where that led.
  /// - Throws: `codeWrong`, `codeExpired`, `tooManyTries`, `taken`, ….
  @discardableResult
  package func confirm(
    _ code: String, of request: String, for purpose: CodePurpose, by principal: SessionPrincipal
  ) async throws(AccountError) -> CodeDestination {
    let account = try await account(of: principal)
    let phone = try await stores.contacts.contact(of: account.id).phone
    let proven = try await audit.proving(
      .contactVerified, by: AuditActor(account)
    ) { () throws(AccountError) in
      try await proofs.verification.confirm(code, of: request, for: purpose, by: account.id)
    }
    // Open sessions show the new address from now on.
    sessions.changed(account.id)
    switch proven {
    case .email(let email) where email != account.email:
      await announce(.email, of: account, about: proven.text)
    case .phone(let number) where number != phone:
      await announce(.phone, of: account, phone: phone, about: proven.text)
    case .email, .phone:
      await audit.record(.contactVerified, by: AuditActor(account), about: proven.text)
    }
    return proven
  }

  /// Passes for what keeps the theater's rules for the field, as at registration (C5).
  func check(_ typed: String, in field: FieldName) throws(AccountError) {
    try rules.check(typed, in: field, context: RuleContext(values: [field: typed]))
  }

  func account(of principal: SessionPrincipal) async throws(AccountError) -> Account {
    guard let record = try await stores.contacts.record(of: principal.account) else {
      throw .notLoggedIn
    }
    return record.account
  }
}
