import Synchronization
import Validation

/// The code that admits a person to registration.
public enum Admission: Sendable, Redacted {
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

/// The fields of a registration. The front end checks that both passwords are the same.
public struct RegistrationRequest: Sendable, Redacted {
  let admission: Admission
  let name: String
  let email: String
  let password: String

  /// Takes everything as typed; `Registration` checks it.
  public init(admission: Admission, name: String, email: String, password: String) {
    self.admission = admission
    self.name = name
    self.email = email
    self.password = password
  }
}

/// A typed one-time code and the request for which it was sent.
public struct CodeConfirmation: Sendable, Redacted {
  let code: String
  let request: String

  /// - Parameters:
  ///   - code: As typed.
  ///   - request: The identity of the `CodeRequest`.
  public init(_ code: String, of request: String) {
    self.code = code
    self.request = request
  }
}

/// Makes accounts for the holders of a code (E7). The code is checked before anything that costs
/// time, and guessing it is rate-limited. Only the holder of a valid code learns that an address is
/// taken; the store decides that in the transaction that inserts the account.
public struct Registration: Sendable {
  private let accounts: any AccountStore
  private let contacts: any ContactStore
  private let codes: OneTimeCodes
  private let invitations: Invitations
  private let setupCode = SetupCode()
  private let hasher: PasswordHasher
  private let rateLimiter: RateLimiter
  private let rules: RuleSet
  private let events: AccountEvents
  private let audit: AuditLog
  private let clock: WallClock
  private let random: RandomSource

  init(
    accounts: any AccountStore, contacts: any ContactStore, codes: OneTimeCodes,
    invitations: Invitations, hasher: PasswordHasher,
    rateLimiter: RateLimiter, rules: RuleSet, events: AccountEvents, audit: AuditLog,
    clock: WallClock, random: RandomSource
  ) {
    self.accounts = accounts
    self.contacts = contacts
    self.codes = codes
    self.invitations = invitations
    self.hasher = hasher
    self.rateLimiter = rateLimiter
    self.rules = rules
    self.events = events
    self.audit = audit
    self.clock = clock
    self.random = random
  }

  /// Issues the code for the first owner and voids an earlier one.
  /// - Returns: nil when there is an account.
  func issueSetupCode() async throws(AccountError) -> EntryCode? {
    if try await accounts.hasAccounts() { return nil }
    return setupCode.issue(from: random)
  }

  /// Whether the setup code still admits the first owner.
  public var awaitsFirstOwner: Bool { setupCode.isOpen }

  /// Makes an account without logging in (E6). Only a success uses the code up.
  /// - Throws: `empty`, `malformed`, `tooShort`, `tooLong`, `unsuitable` with their field;
  ///   `codeInvalid`, `tooManyTries`, `setupClosed`, `taken`; `busy`, `cancelled`, `storageFull`,
  ///   `storageFailed`, `internal`.
  public func register(_ request: RegistrationRequest) async throws(AccountError) -> Account {
    try await insertAccount(request, confirming: nil).account
  }

  /// Sends a one-time code to the address or number of a person who registers with an invitation
  /// (D10).
  /// - Parameter invitation: The code of the invitation, as typed.
  /// - Throws: `empty`, `codeInvalid`, `tooManyTries`; `taken` when the address or number belongs to an
  ///   account; `deliveryUnavailable`, `tooEarly`, `deliveryFailed`, ….
  public func sendCode(
    to destination: CodeDestination, for invitation: String
  ) async throws(AccountError) -> CodeRequest {
    var claimed: String?
    if case .email(let address) = destination { claimed = address.text }
    return try await recordingRefusal(claiming: claimed) { () throws(AccountError) in
      _ = try await rateLimiter.limiting(nil) { () throws(AccountError) in
        try await checkAdmission(.invitation(invitation))
      }
      try await requireFree(destination)
      return try await codes.sendToNewcomer(destination)
    }
  }

  /// Makes an account for the holder of an invitation whose address or number is verified by the code
  /// of `sendCode`. Missing personal data leaves code and invitation valid.
  /// - Throws: The errors of `register`; `codeWrong`; `codeExpired`, also when the code was sent to
  ///   another e-mail address.
  func register(
    _ request: RegistrationRequest, confirming code: CodeConfirmation
  ) async throws(AccountError) -> AccountRecord {
    // The first owner registers with the setup code alone.
    guard case .invitation = request.admission else { throw .codeInvalid }
    return try await insertAccount(request, confirming: code)
  }

  /// Answers the question of an asynchronous rule about a text (C8) for the holder of a code. The
  /// code stays valid.
  /// - Throws: `empty`, `codeInvalid`, `tooManyTries`, `setupClosed`; `malformed`, `tooLong` for a
  ///   text that is no address; `storageFailed`.
  public func answer(
    _ question: AnsweredQuestion, about text: String, for admission: Admission
  ) async throws(AccountError) -> Bool {
    try await recordingRefusal(claiming: text) { () async throws(AccountError) in
      _ = try await rateLimiter.limiting(nil) { () throws(AccountError) in
        try await checkAdmission(admission)
      }
    }
    return switch question {
    case .emailFree: try await accounts.account(withEmail: EmailAddress(text)) == nil
    }
  }

  private func insertAccount(
    _ request: RegistrationRequest, confirming confirmation: CodeConfirmation?
  ) async throws(AccountError) -> AccountRecord {
    try await recordingRefusal(claiming: request.email) { () throws(AccountError) in
      let proof = try await proof(of: request.admission, confirmation)
      let (name, email, password) = try validate(request)
      if case .email(let verified) = proof.pending?.destination, verified != email {
        throw .codeExpired
      }
      let hash = try await hasher.hash(password.password)
      if Task.isCancelled { throw .cancelled }
      let account = Account(
        id: AccountID(from: random), name: name, email: email, role: proof.role,
        createdAt: clock.now())
      let record = AccountRecord(account: account, passwordHash: hash)
      try await insert(record, request.admission, proof)
      events.publish(.registered(account.id, account.role))
      await audit.record(.registration, by: AuditActor(account), about: account.role.rawValue)
      return record
    }
  }

  /// The admission of a person: the code of an invitation or the setup code, with the role of the new
  /// account, and the one-time code if there is one.
  private struct Proof {
    let code: EntryCode
    let role: AccountRole
    var pending: PendingCode?
  }

  /// Checks all codes of a registration as one attempt; guessing them is rate-limited.
  private func proof(
    of admission: Admission, _ confirmation: CodeConfirmation?
  ) async throws(AccountError) -> Proof {
    try await rateLimiter.limiting(nil) { () throws(AccountError) in
      var proof = try await checkAdmission(admission)
      if let confirmation {
        proof.pending = try await codes.check(
          confirmation.code, of: confirmation.request, for: .register)
      }
      return proof
    }
  }

  private func checkAdmission(_ admission: Admission) async throws(AccountError) -> Proof {
    let code = try admission.code()
    switch admission {
    case .setupCode:
      try setupCode.check(code)
      return Proof(code: code, role: .owner)
    case .invitation:
      return Proof(code: code, role: try await invitations.find(code).role)
    }
  }

  /// Throws if the address or number is invalid or belongs to an account.
  private func requireFree(_ destination: CodeDestination) async throws(AccountError) {
    switch destination {
    case .email(let address):
      try rules.check(address.text, in: .email)
      if try await accounts.account(withEmail: address) != nil { throw .taken }
    case .phone(let number):
      try rules.check(number.text, in: .phone)
      if try await contacts.account(reachedAt: destination) != nil { throw .contactTaken(.phone) }
    }
  }

  /// Records the refusal of an attempt that held a wrong code, or learned that an address is taken.
  /// - Parameter email: The claimed address, as typed.
  private func recordingRefusal<Value>(
    claiming email: String?, _ body: () async throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    do throws(AccountError) {
      return try await body()
    } catch {
      let recorded: Set<AccountError.Code> = [
        .codeInvalid, .setupClosed, .taken, .codeWrong, .codeExpired,
      ]
      if recorded.contains(error.code) {
        // A malformed address may be a password in the wrong field: it is not recorded.
        let claimed = email.flatMap { try? EmailAddress($0) }.map { AuditActor(claiming: $0) }
        await audit.record(.registration, by: claimed, outcome: .refused(error))
      }
      throw error
    }
  }

  /// Checks the typed fields by the rules of all front ends, even if the front end has checked them
  /// (C5).
  private func validate(
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

  private func insert(
    _ record: AccountRecord, _ admission: Admission, _ proof: Proof
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
      try await accounts.insert(
        record, redeeming: proof.code.digest, confirming: proof.pending, at: clock.now())
    }
  }
}

/// The code with which the first owner registers. Only its digest exists, only in memory, and only
/// while there is no account; a restart makes a new one.
private final class SetupCode: Sendable {
  private let digest = Mutex<SecretDigest?>(nil)

  /// Whether a code was issued that is still valid.
  var isOpen: Bool { digest.withLock { $0 != nil } }

  /// Makes a code and voids an earlier one.
  func issue(from random: RandomSource) -> EntryCode {
    let code = EntryCode(from: random)
    digest.withLock { $0 = code.digest }
    return code
  }

  /// Throws unless `code` is the code that was issued last.
  /// - Throws: `setupClosed` when there is an account, `codeInvalid` for another code.
  func check(_ code: EntryCode) throws(AccountError) {
    guard let expected = digest.withLock({ $0 }) else { throw .setupClosed }
    guard expected == code.digest else { throw .codeInvalid }
  }

  /// Voids the code, once there is an account.
  func close() {
    digest.withLock { $0 = nil }
  }
}
