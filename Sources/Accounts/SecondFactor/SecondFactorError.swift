extension AccountError {
  /// The password is correct; the second factor is missing.
  public static let secondFactorNeeded = AccountError(
    .secondFactorNeeded, field: .code, message: "This account has a second factor.",
    hint: "Add the code that your authenticator app shows, or a recovery code.")

  /// The code is wrong or was used before. Counts as a failed attempt.
  public static let secondFactorWrong = AccountError(
    .wrongCredentials, field: .code,
    message: "The code of the second factor is wrong, or was used already.",
    hint: "Wait for the next code of your app, or take a recovery code.")

  /// The account has an authenticator app; a second one cannot be added.
  public static let factorActive = AccountError(
    .factorActive, message: "This account has a second factor already.",
    hint: "Remove it first, then add the other one.")

  /// The action requires a second factor, and the account has none.
  public static let noFactor = AccountError(
    .noFactor, message: "This account has no second factor.",
    hint: "Add an authenticator app first.")

  /// The first code of a new secret does not fit.
  public static let totpCodeWrong = AccountError(
    .codeWrong, field: .code, message: "The code does not belong to this secret and this minute.",
    hint: "Check that the clocks of the phone and of the theater's machine are right.")

  /// The second factor cannot be removed while the password is this short.
  /// - Parameter minimum: The shortest password without a second factor, in characters.
  public static func passwordTooShortAlone(minimum: Int) -> AccountError {
    AccountError(
      .tooShort, field: .password,
      message: "Without a second factor a password has \(minimum) characters or more.",
      hint: "Set a longer password first.")
  }
}
