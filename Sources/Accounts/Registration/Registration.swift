import Validation

/// What admits a person to registering.
package enum Admission: Sendable, Redacted {
  /// As typed: the code on the controller's console, for the first owner.
  case setupCode(String)
  /// As typed: the code of an invitation.
  case invitation(String)

  /// Reads the code.
  /// - Throws: `empty` or `codeInvalid`, with the field `code`.
  fileprivate func code() throws(AccountError) -> EntryCode {
    switch self {
    case .setupCode(let typed), .invitation(let typed):
      if typed.allSatisfy(\.isWhitespace) { throw .empty(.code) }
      guard let code = EntryCode(typed: typed) else { throw .codeInvalid }
      return code
    }
  }
}

/// What a person types to register. Whether the password was typed twice alike is the front end's
/// matter.
package struct RegistrationRequest: Sendable, Redacted {
  let admission: Admission
  let name: String
  let email: String
  let password: String

  /// Takes everything as typed; `Registration` checks it.
  package init(admission: Admission, name: String, email: String, password: String) {
    self.admission = admission
    self.name = name
    self.email = email
    self.password = password
  }
}

/// Makes accounts for people who hold a code (E7). The code is checked before anything costs time, and
/// guessing it is slowed down; whether the address is taken is told only to its holder, by the store
/// that decides it.
struct Registration: Sendable {
  let accounts: any AccountStore
  let invitations: Invitations
  let setupCode: SetupCode
  let hasher: PasswordHasher
  let throttle: RateLimiter
  let rules: RuleSet
  let events: AccountEvents
  let clock: WallClock
  let random: RandomSource

  /// Makes an account. The code is used up only by success.
  /// - Throws: `empty`, `malformed`, `tooShort`, `tooLong`, `unsuitable` with their field;
  ///   `codeInvalid`, `tooManyTries`, `setupClosed`, `taken`; `busy`, `cancelled`, `storageFull`,
  ///   `storageFailed`, `internal`.
  func register(_ request: RegistrationRequest) async throws(AccountError) -> Account {
    let (code, role) = try await admitted(request.admission)
    let (name, email, password) = try checked(request)

    let hash = try await hasher.hash(password.password)
    if Task.isCancelled { throw .cancelled }
    let account = Account(
      id: AccountID(from: random), name: name, email: email, role: role, createdAt: clock.now())
    try await keep(AccountRecord(account: account, passwordHash: hash), request.admission, code)
    events.publish(.registered(account.id, role))
    return account
  }

  /// Answers a rule's question about a text (C8), for who may register.
  /// - Throws: `empty`, `codeInvalid`, `tooManyTries`, `setupClosed`; `malformed`, `tooLong` for what is no address;
  ///   `storageFailed`.
  func answer(
    _ question: AnsweredQuestion, about text: String, for admission: Admission
  ) async throws(AccountError) -> Bool {
    _ = try await admitted(admission)
    return switch question {
    case .emailFree: try await accounts.account(withEmail: EmailAddress(text)) == nil
    }
  }

  /// What was typed, by the same rules as every front end's, whatever that one has checked (C5).
  private func checked(
    _ request: RegistrationRequest
  ) throws(AccountError) -> (DisplayName, EmailAddress, NewPassword) {
    let name = try DisplayName(request.name)
    let email = try EmailAddress(request.email)
    let context = RuleContext(values: [.name: request.name, .email: request.email])
    try rules.check(request.name, in: .name, context: context)
    try rules.check(request.email, in: .email, context: context)
    let owner = PasswordOwner(name: request.name, email: request.email)
    return (name, email, try NewPassword(request.password, for: owner, rules: rules))
  }

  /// The code, and what it admits to; guessing is slowed down.
  private func admitted(
    _ admission: Admission
  ) async throws(AccountError) -> (EntryCode, AccountRole) {
    try await throttle.guarding(nil) { () throws(AccountError) in
      let code = try admission.code()
      switch admission {
      case .setupCode:
        try setupCode.check(code)
        return (code, AccountRole.owner)
      case .invitation:
        return (code, try await invitations.find(code).role)
      }
    }
  }

  private func keep(
    _ record: AccountRecord, _ admission: Admission, _ code: EntryCode
  ) async throws(AccountError) {
    switch admission {
    case .setupCode:
      do throws(AccountError) {
        try await accounts.insertFirst(record)
      } catch  where error.code == .setupClosed {
        setupCode.close()
        throw error
      }
      setupCode.close()
    case .invitation:
      try await accounts.insert(record, redeeming: code.digest, at: clock.now())
    }
  }
}
