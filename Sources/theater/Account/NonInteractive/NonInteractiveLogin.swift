import AccountFlows
import Validation

/// The login screen with one line of input for each answer.
struct NonInteractiveLogin {
  let email: String?
  /// Whether the password is one line of standard input.
  let takesPassword: Bool

  /// Logs in with a password.
  /// - Throws: `ExitError` at the first refusal.
  func run(_ driver: ScreenDriver<LoginScreen>) async throws -> LoggedInPerson {
    try await NonInteractivePrompt.run(driver) { prompt in
      await prompt.send(.typed(.email, try email ?? Prompt.line("E-mail address")))
      await prompt.send(
        .typed(.password, try Prompt.password(fromInput: takesPassword)))
      await prompt.send(.submit)
      return try await Self.secondFactor(&prompt)
    }
  }

  /// Logs in with a one-time code.
  /// - Throws: `ExitError` at the first refusal.
  static func run(
    _ driver: ScreenDriver<LoginScreen>, byCode answers: NonInteractiveCode<LoginScreen>
  )
    async throws -> LoggedInPerson
  {
    try await NonInteractivePrompt.run(driver) { prompt in
      _ = try await answers.enter(&prompt)
      return try await secondFactor(&prompt)
    }
  }

  /// Asks for the code of the second factor if the account has one.
  private static func secondFactor(_ prompt: inout NonInteractivePrompt<LoginScreen>) async throws
    -> LoggedInPerson
  {
    var screen = await prompt.screen
    if screen.step == .secondFactor, screen.failure == nil {
      screen = await prompt.send(.code(try Prompt.line("Code of the second factor")))
      if screen.canSubmit { screen = await prompt.send(.submit) }
    }
    guard let person = screen.person else { throw exitError(for: screen) }
    return person
  }

  private static func exitError(for screen: LoginScreen) -> ExitError {
    if let failure = screen.failure { return ExitError(failure) }
    let wrong = screen.form.fieldNames.lazy.compactMap { screen.form[$0] }.first { !$0.isValid }
    return ExitError(.failed, wrong?.message ?? "The code of the second factor is missing.")
  }
}
