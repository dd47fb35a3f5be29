extension AccountError {
  /// The password is correct; the second factor is missing.
  package static let secondFactorNeeded = AccountError(
    .secondFactorNeeded, field: .code, message: "This account has a second factor.",
    hint: "Add the code that your authenticator app shows, or a recovery code.")

  /// Counts as a failed attempt.
  package static let secondFactorWrong = AccountError(
    .wrongCredentials, message: "The code of the second factor is wrong, or was used already.",
    hint: "Wait for the next code of your app, or take a recovery code.")

  package static let factorActive = AccountError(
    .factorActive, message: "This account has a second factor already.",
    hint: "Remove it first: `theater totp remove`.")

  package static let noFactor = AccountError(
    .noFactor, message: "There is no second factor to do this with.",
    hint: "Begin with `theater totp enrol`.")

  /// The first code of a new secret does not fit.
  package static let totpCodeWrong = AccountError(
    .codeWrong, field: .code, message: "The code does not belong to this secret and this minute.",
    hint: "Check that the clocks of the phone and of the theater's machine are right.")

  /// - Parameter minimum: The shortest password without a second factor, in characters.
  package static func passwordTooShortAlone(minimum: Int) -> AccountError {
    AccountError(
      .tooShort, field: .password,
      message: "Without a second factor a password has \(minimum) characters or more.",
      hint: "Change it first: `theater password change`.")
  }
}
