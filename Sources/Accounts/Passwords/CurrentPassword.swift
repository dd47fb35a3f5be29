/// Asks who is logged in for the password once more, before something that a borrowed session must
/// not do. It can be guessed here no faster than at a login.
struct CurrentPassword: Sendable {
  let contacts: any ContactStore
  let hasher: PasswordHasher
  let throttle: RateLimiter

  /// The account of `id`, where `typed` is its password.
  /// - Throws: `empty`, `tooLong`, `wrongPassword`, `tooManyTries`, `notLoggedIn`, `busy`, ….
  func check(
    _ typed: String, of id: AccountID
  ) async throws(AccountError) -> (record: AccountRecord, password: Password) {
    let password = try Password(typed)
    guard let record = try await contacts.record(of: id) else { throw .notLoggedIn }
    try await throttle.guarding(record.account.email) { () throws(AccountError) in
      guard try await hasher.verify(password, against: record.passwordHash) else {
        throw .wrongPassword
      }
    }
    return (record, password)
  }
}

extension AccountError {
  /// The session is good, the password typed with it is not.
  package static let wrongPassword = AccountError(
    .wrongCredentials, field: .password, message: "The present password is wrong.",
    hint: "Type it again; who has forgotten it types `theater password reset`.")
}
