/// New passwords.
extension Gate {
  /// Puts `new` in the place of the person's password `old`; their other sessions end.
  /// - Throws: `wrongPassword`; `empty`, `tooShort`, `tooLong` with the field `newPassword`; `busy`,
  ///   ….
  package func changePassword(
    _ old: String, to new: String, by principal: Principal
  ) async throws(AccountError) {
    try await proofs.change.change(old, to: new, of: principal.account)
    try await endSessions(of: principal.account, except: principal.session)
    await audit.record(.passwordChanged, by: AuditActor(principal))
  }

  /// Answers somebody who has forgotten a password, the same whether or not `destination` is
  /// anybody's; a code goes there where it is verified.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  package func beginReset(
    _ destination: CodeDestination
  ) async throws(AccountError) -> CodeRequest {
    try await proofs.reset.begin(destination)
  }

  /// Puts `new` in the place of a forgotten password; every session of the account ends. The second
  /// factor stays.
  /// - Throws: `codeWrong`, `codeExpired`; `empty`, `tooShort`, `tooLong` with the field
  ///   `newPassword`; `busy`, ….
  package func finishReset(
    _ code: String, of request: String, newPassword: String
  ) async throws(AccountError) {
    let account = try await proofs.reset.finish(newPassword, code: code, of: request)
    try await endSessions(of: account.id)
    await audit.record(.passwordReset, by: AuditActor(account))
  }
}

extension CodeDestination {
  /// What somebody typed who cannot log in: one of both.
  /// - Throws: `empty` where there is none; `malformed`, `tooLong`.
  package init(email: String?, phone: String?) throws(AccountError) {
    if let phone, email == nil {
      self = .phone(try PhoneNumber(phone))
    } else {
      self = .email(try EmailAddress(email ?? ""))
    }
  }
}
