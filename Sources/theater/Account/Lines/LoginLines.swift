import AccountScreens
import Validation

/// The login screen for answers that come a line each.
struct LoginLines {
  let email: String?
  /// Whether the password is one line of standard input.
  let takesPassword: Bool

  /// Logs in.
  /// - Throws: An `Ending` at the first refusal.
  func play(_ driver: ScreenDriver<LoginScreen>) async throws -> LoggedIn {
    try await LinePlay.play(driver) { play in
      await play.send(.typed(.email, try email ?? Question.ask("E-mail address")))
      await play.send(
        .typed(.password, try Question.password(fromInput: takesPassword, twice: false)))
      var screen = await play.send(.submit)
      if screen.step == .code, screen.failure == nil {
        screen = await play.send(.code(try Question.ask("Code of the second factor")))
        if screen.canSubmit { screen = await play.send(.submit) }
      }
      guard let person = screen.person else { throw ending(screen) }
      return person
    }
  }

  private func ending(_ screen: LoginScreen) -> Ending {
    if let failure = screen.failure { return Ending(failure) }
    let wrong = screen.form.fieldNames.lazy.compactMap { screen.form[$0] }.first { !$0.isValid }
    return Ending(.failed, wrong?.message ?? "The code of the second factor is missing.")
  }
}
