import AccountFlows
import Validation

/// The login screen for answers that come a line each.
struct LoginLines {
  let email: String?
  /// Whether the password is one line of standard input.
  let takesPassword: Bool

  /// Logs in with a password.
  /// - Throws: An `ExitError` at the first refusal.
  func play(_ driver: ScreenDriver<LoginScreen>) async throws -> LoggedIn {
    try await NonInteractivePrompt.play(driver) { play in
      await play.send(.typed(.email, try email ?? Question.ask("E-mail address")))
      await play.send(
        .typed(.password, try Question.password(fromInput: takesPassword, twice: false)))
      await play.send(.submit)
      return try await Self.secondFactor(&play)
    }
  }

  /// Logs in with a code that is sent.
  /// - Throws: An `ExitError` at the first refusal.
  static func play(_ driver: ScreenDriver<LoginScreen>, byCode lines: CodeLines<LoginScreen>)
    async throws -> LoggedIn
  {
    try await NonInteractivePrompt.play(driver) { play in
      _ = try await lines.enter(&play)
      return try await secondFactor(&play)
    }
  }

  /// What comes after the proof, whichever it was.
  private static func secondFactor(_ play: inout NonInteractivePrompt<LoginScreen>) async throws
    -> LoggedIn
  {
    var screen = await play.screen
    if screen.step == .secondFactor, screen.failure == nil {
      screen = await play.send(.code(try Question.ask("Code of the second factor")))
      if screen.canSubmit { screen = await play.send(.submit) }
    }
    guard let person = screen.person else { throw ending(screen) }
    return person
  }

  private static func ending(_ screen: LoginScreen) -> ExitError {
    if let failure = screen.failure { return ExitError(failure) }
    let wrong = screen.form.fieldNames.lazy.compactMap { screen.form[$0] }.first { !$0.isValid }
    return ExitError(.failed, wrong?.message ?? "The code of the second factor is missing.")
  }
}
