import AccountFlows
import Validation

/// Taking a new password: on a screen with its rules beside it, otherwise as lines.
struct NewPasswordPrompt {
  /// Whether it is one line of standard input.
  private let isInput: Bool
  /// What a screen shows; nil where there is none.
  private let rules: RuleSet?

  /// Asks the controller for its rules where somebody will see them.
  init(_ theater: RemoteTheater, _ options: PasswordOptions) async throws {
    isInput = options.passwordStdin
    rules =
      Question.isScreen && !isInput ? try await RemoteRegistration.rules(of: theater) : nil
  }

  /// Whether it is taken on a screen.
  var isOnScreen: Bool { rules != nil }

  /// Asks until a password is set.
  /// - Throws: An `ExitError`; without a screen also for the first refusal.
  func ask(_ service: some NewPasswordService, for owner: NewPasswordOwner) async throws {
    if let rules {
      _ = try await NewPasswordView().play(NewPasswordScreen(rules, for: owner).driver(service))
      return
    }
    let password = try Question.password(fromInput: isInput, twice: !isInput)
    do throws(ScreenFailure) {
      try await service.set(TypedPassword(password))
    } catch {
      throw ExitError(error)
    }
  }
}
