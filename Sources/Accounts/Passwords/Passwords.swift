import Validation

/// Changes and resets passwords.
public struct Passwords: Sendable {
  let accounts: any AccountStore
  let contacts: any ContactStore
  let codes: OneTimeCodes
  let factors: SecondFactors
  let current: CurrentPassword
  let hasher: PasswordHasher
  let rules: RuleSet
  let sessions: Sessions
  let announcer: ChangeAnnouncer
  let audit: AuditLog

  /// Replaces the person's password `old` by `new`; their other sessions end, their access tokens stay.
  /// An account with a
  /// second factor also needs a recent proof by it.
  /// - Throws: `proofNeeded`, `wrongPassword`, `tooManyTries`; `empty`, `tooShort`, `tooLong` with
  ///   the field `newPassword`; `busy`, ….
  public func change(
    _ old: String, to new: String, by principal: SessionPrincipal
  ) async throws(AccountError) {
    let hasFactor = try await factors.isActive(for: principal.account)
    if hasFactor { try sessions.requireFreshProof(principal) }
    let (account, ended) = try await audit.recordingRefusal(
      .passwordChanged, by: AuditActor(principal)
    ) { () throws(AccountError) in
      let record = try await current.check(old, of: principal.account).record
      let hash = try await hash(new, for: record.account, hasFactor: hasFactor)
      let ended = try await accounts.changePassword(
        record.passwordHash, of: principal.account, to: hash, keeping: principal.session)
      return (record.account, ended)
    }
    sessions.endDeleted(ended)
    await announcer.announce(.password, of: account)
  }

  /// Sends a reset code where `destination` is a verified address or number. The answer is the same
  /// when it is not.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  public func beginReset(
    _ destination: CodeDestination
  ) async throws(AccountError) -> CodeRequest {
    let account = try await contacts.account(reachedAt: destination)
    return try await codes.enqueue(to: destination, of: account, for: .resetPassword)
  }

  /// Replaces a forgotten password by `new`; every session of the account ends, its access tokens are revoked, its
  /// second factor stays. The code stays good when the password breaks the rules.
  /// - Throws: `codeWrong`, `codeExpired`, `tooManyTries`; `empty`, `tooShort`, `tooLong` with the
  ///   field `newPassword`; `busy`, ….
  public func finishReset(
    _ code: String, of request: String, newPassword new: String
  ) async throws(AccountError) {
    let (account, ended) = try await audit.recordingRefusal(
      .passwordReset, by: nil
    ) { () throws(AccountError) in
      let code = try await codes.checkLimited(code, of: request, for: .resetPassword)
      guard let id = code.account, let record = try await contacts.record(of: id) else {
        throw .codeExpired
      }
      let hash = try await hash(
        new, for: record.account, hasFactor: try await factors.isActive(for: id))
      return (record.account, try await codes.redeem(code, for: .password(hash)))
    }
    sessions.endDeleted(ended)
    await announcer.announce(.forgottenPassword, of: account)
  }

  /// Hashes a new password that keeps the rules of registration (C5); with a second factor it may be
  /// shorter.
  private func hash(
    _ typed: String, for account: Account, hasFactor: Bool
  ) async throws(AccountError) -> PasswordHash {
    let owner = PasswordOwner(
      name: account.name.text, email: account.email.text, hasSecondFactor: hasFactor)
    let new: NewPassword
    do throws(AccountError) {
      new = try NewPassword(typed, for: owner, rules: rules)
    } catch {
      throw AccountError(
        error.code, field: .newPassword, message: error.message, hint: error.hint)
    }
    return try await hasher.hash(new.password)
  }
}

/// Asks a logged-in person for their password once more, before changes that a stranger at an open
/// session must not make. Wrong passwords count as failed login attempts.
struct CurrentPassword: Sendable {
  let contacts: any ContactStore
  let hasher: PasswordHasher
  let rateLimiter: RateLimiter

  /// Returns the account of `id` when `typed` is its password.
  /// - Throws: `empty`, `tooLong`, `wrongPassword`, `tooManyTries`, `notLoggedIn`, `busy`, ….
  func check(
    _ typed: String, of id: AccountID
  ) async throws(AccountError) -> (record: AccountRecord, password: Password) {
    let password = try Password(typed)
    guard let record = try await contacts.record(of: id) else { throw .notLoggedIn }
    try await rateLimiter.limiting(record.account.email) { () throws(AccountError) in
      guard try await hasher.verify(password, against: record.passwordHash) else {
        throw .wrongPassword
      }
    }
    return (record, password)
  }
}

extension CodeDestination {
  /// Reads the address or number that a person without a session typed.
  /// - Throws: `empty` when both are nil; `malformed`, `tooLong`.
  public init(email: String?, phone: String?) throws(AccountError) {
    if let phone, email == nil {
      self = .phone(try PhoneNumber(phone))
    } else {
      self = .email(try EmailAddress(email ?? ""))
    }
  }
}

extension AccountError {
  /// The session is valid, but the password typed with it is wrong.
  public static let wrongPassword = AccountError(
    .wrongCredentials, field: .password, message: "The current password is wrong.",
    hint: "Type it again, or reset it if you have forgotten it.")
}
