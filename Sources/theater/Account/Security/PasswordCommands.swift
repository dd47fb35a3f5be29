import AccountFlows
import ArgumentParser
import JSON
import TheaterAPI
import Validation

/// `theater password`.
struct PasswordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password", abstract: "Change or reset your password.",
    subcommands: [PasswordChange.self, PasswordReset.self])
}

/// `theater password change`: requires the current password.
struct PasswordChange: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Change your password; your other sessions end.",
    discussion: "With --password-stdin: the current password, then the new one, a line each.")
  @OptionGroup var password: PasswordOptions

  func run() async throws {
    let theater = try RemoteTheater()
    let prompt = try await NewPasswordPrompt(theater, fromInput: password.passwordStdin)
    if !password.passwordStdin {
      Console.writeLine("First your current password, then the new one.")
    }
    let present = try Prompt.password(fromInput: password.passwordStdin, twice: false)
    try await prompt.ask(
      RemotePasswordChange(theater: theater, present: present),
      for: prompt.isOnScreen
        ? NewPasswordOwner(try await theater.get(AccountEndpoint.account.path())) : .init())
    Console.writeLine("Your password is changed; your other sessions have ended.")
  }
}

/// `theater password reset`: requires a code, not the current password.
struct PasswordReset: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Set a new password with a code.",
    discussion: """
      The code goes to the address or number, where it is verified. Piped: the code, then with \
      --password-stdin the new password, a line each.
      """)

  @Option(help: "The verified address of your account.")
  var email: String?
  @Option(help: "The verified phone number of your account.")
  var phone: String?
  @OptionGroup var password: PasswordOptions

  func run() async throws {
    let theater = try RemoteTheater(needsLogin: false)
    try await theater.requireController()
    try await NewPasswordPrompt(theater, fromInput: password.passwordStdin)
      .reset(by: CodePrompt(email: email, phone: phone), at: theater)
    Console.writeLine("Your password is set; log in with it: \(ProgramName.name) login")
  }
}

extension NewPasswordOwner {
  /// Reads the response of `AccountEndpoint.account`.
  fileprivate init(_ account: JSON) {
    let user = account["user"]
    self.init(
      name: user?["name"]?.string, email: user?["email"]?.string,
      hasSecondFactor: user?["secondFactor"]?.bool)
  }
}

/// Asks for a new password: in a terminal with its rules, otherwise as lines.
struct NewPasswordPrompt {
  /// Whether the password is one line of standard input.
  private let isInput: Bool
  /// The rules to show; `nil` without a terminal.
  private let rules: RuleSet?

  /// Fetches the controller's rules if a terminal will show them.
  /// - Parameter isInput: Whether the password is one line of standard input.
  init(_ theater: RemoteTheater, fromInput isInput: Bool) async throws {
    self.isInput = isInput
    rules =
      Prompt.isInteractive && !isInput ? try await RemoteRegistration.rules(of: theater) : nil
  }

  /// Whether the password is typed in a terminal view.
  var isOnScreen: Bool { rules != nil }

  /// Sends a code, asks for it, then for the new password (A12).
  /// - Parameter isLeavable: Whether Escape leads from the address to the screen before.
  /// - Throws: As `ask`; `ScreenLeft`.
  func reset(
    by contact: CodePrompt, at theater: RemoteTheater, isLeavable: Bool = false
  ) async throws {
    let codes = RemoteCodes.resetting(by: contact.contact, at: theater)
    let end = try await contact.ask(codes, isLeavable: isLeavable)
    guard let code = end.code else { throw ExitError(silent: .failed) }
    try await ask(
      RemotePasswordReset(codes: codes, code: code),
      for: NewPasswordOwner(email: contact.contact == .email ? end.sentTo : nil))
  }

  /// Asks until a password is set.
  /// - Throws: `ExitError`; without a terminal also at the first refusal.
  func ask(_ service: some NewPasswordService, for owner: NewPasswordOwner) async throws {
    if let rules {
      _ = try await NewPasswordView().run(NewPasswordScreen(rules, for: owner).driver(service))
      return
    }
    let password = try Prompt.password(fromInput: isInput, twice: !isInput)
    do throws(ScreenFailure) {
      try await service.set(TypedPassword(password))
    } catch {
      throw ExitError(error)
    }
  }
}
