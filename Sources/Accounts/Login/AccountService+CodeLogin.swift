/// Logging in with a code instead of a password.
extension AccountService {
  /// Answers somebody who wants to log in with a code, the same whether or not `destination` is
  /// anybody's; a code goes there where it is verified.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  package func sendLoginCode(
    to destination: CodeDestination
  ) async throws(AccountError) -> CodeRequest {
    try await proofs.codeLogin.sendCode(to: destination)
  }

  /// Logs in with the code that was sent.
  /// - Parameter progress: called at the beginning of each stage.
  /// - Throws: `empty`, `malformed`, `codeWrong`, `codeExpired`, `secondFactorNeeded`,
  ///   `wrongCredentials` for a wrong second factor, ….
  package func logIn(
    _ credentials: CodeCredentials, progress: @Sendable (LoginStage) -> Void = { _ in }
  ) async throws(AccountError) -> LoggedIn {
    try await codeLogin.logIn(credentials, progress: progress)
  }
}
