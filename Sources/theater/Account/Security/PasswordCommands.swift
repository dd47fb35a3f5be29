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
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    let prompt = try await NewPasswordPrompt(theater, fromInput: password.passwordStdin)
    if !password.passwordStdin {
      Console.writeNotice("First your current password, then the new one.")
    }
    let present = try Prompt.password(fromInput: password.passwordStdin)
    try await prompt.ask(
      RemotePasswordChange(theater: theater, present: present),
      for: prompt.hasRules
        ? NewPasswordOwner(try await theater.get(AccountEndpoint.account.path())) : .init())
    output.confirm("Your password is changed; your other sessions have ended.")
    // The password is changed, whether or not the list can be read.
    if let count = try? await theater.accessTokens().count, count > 0 {
      Console.writeNotice(
        "\(tokenCount(count)) can still be used. List: \(ProgramName.name) token list. "
          + "Revoke: \(ProgramName.name) token revoke --all")
    }
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
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater(needsLogin: false)
    try await theater.requireController()
    try await NewPasswordPrompt(theater, fromInput: password.passwordStdin)
      .reset(by: CodePrompt(email: email, phone: phone), at: theater)
    output.confirm("Your password is set; log in with it: \(ProgramName.name) login")
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
  /// The rules of the controller; `nil` if the password is one line of standard input, which the
  /// controller alone checks.
  private let rules: RuleSet?

  /// Fetches the controller's rules if a person types the password.
  /// - Parameter isInput: Whether the password is one line of standard input.
  init(_ theater: RemoteTheater, fromInput isInput: Bool) async throws {
    rules = isInput ? nil : try await RemoteRegistration.rules(of: theater)
  }

  /// Whether the rules are known here, so that those about the account count as well.
  var hasRules: Bool { rules != nil }

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
    guard let rules else {
      return try await Self.set(try Prompt.password(fromInput: true), service)
    }
    let screen = NewPasswordScreen(rules, for: owner)
    if Prompt.isInteractive {
      _ = try await NewPasswordView().run(screen.driver(service))
    } else {
      try await Self.set(try Self.twice(screen), service)
    }
  }

  /// Reads a new password and its repetition. One that breaks a rule is refused before the repetition.
  private static func twice(_ screen: NewPasswordScreen) throws(ExitError) -> String {
    let password = try Prompt.hiddenLine("New password")
    var screen = screen
    _ = screen.receive(.input(.typed(.password, password)), at: .zero)
    if let mistake = screen.form.mistake(.password) { throw ExitError(.failed, mistake) }
    guard try Prompt.repetition() == password else {
      throw ExitError(.failed, "the two passwords differ", hint: "Run the command again.")
    }
    return password
  }

  private static func set(
    _ password: String, _ service: some NewPasswordService
  ) async throws(ExitError) {
    do throws(ScreenFailure) {
      try await service.set(TypedPassword(password))
    } catch {
      throw ExitError(error)
    }
  }
}

extension Form {
  /// The instruction for a text that breaks a rule; `nil` for one that keeps all rules, or of which
  /// only the controller can say it.
  func mistake(_ field: FieldName) -> String? {
    guard let field = self[field], !field.isValid, !field.report.isPending else { return nil }
    return field.message ?? "The \(field.declaration.label) is not valid."
  }
}
