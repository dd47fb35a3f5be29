/// New passwords.
extension AccountService {
  /// Puts `new` in the place of the person's password `old`; their other sessions end. Where there is
  /// a second factor, a fresh proof is one by it too, which `old` alone is not.
  /// - Throws: `proofNeeded`, `wrongPassword`, `tooManyTries`; `empty`, `tooShort`, `tooLong` with the field
  ///   `newPassword`; `busy`, ….
  package func changePassword(
    _ old: String, to new: String, by principal: SessionPrincipal
  ) async throws(AccountError) {
    if try await proofs.factors.isActive(for: principal.account) {
      try requireFreshProof(principal)
    }
    let (account, ended) = try await audit.proving(
      .passwordChanged, by: AuditActor(principal)
    ) { () throws(AccountError) in
      try await proofs.change.change(old, to: new, by: principal)
    }
    end(ended)
    await announce(.password, of: account)
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
  /// - Throws: `codeWrong`, `codeExpired`, `tooManyTries`; `empty`, `tooShort`, `tooLong` with the
  ///   field `newPassword`; `busy`, ….
  package func finishReset(
    _ code: String, of request: String, newPassword: String
  ) async throws(AccountError) {
    let (account, ended) = try await audit.proving(
      .passwordReset, by: nil
    ) { () throws(AccountError) in
      try await proofs.reset.finish(newPassword, code: code, of: request)
    }
    end(ended)
    await announce(.forgottenPassword, of: account)
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
