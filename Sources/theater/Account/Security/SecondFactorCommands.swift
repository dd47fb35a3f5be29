import AccountFlows
import ArgumentParser
import JSON
import QRCode
import TheaterAPI

/// `theater totp`: adds or removes an authenticator app.
struct TOTPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "totp", abstract: "Ask for a code of your authenticator app at each login.",
    subcommands: [TOTPEnrol.self, TOTPRemove.self])
}

/// `theater totp enrol`: shows the secret and verifies a first code.
struct TOTPEnrol: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol", abstract: "Add your authenticator app.",
    discussion: "With --json: the secret, then after a line with the code the recovery codes.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    try Prompt.requireInput("code")
    let answer = try await theater.post(AccountEndpoint.addSecondFactor.path())
    guard let uri = answer["uri"]?.string, let secret = answer["secret"]?.string else {
      throw ExitError(.failed, "the controller gave no secret")
    }
    if output.json {
      Console.writeLine(answer.prettyText())
    } else {
      if let code = QRCode(uri) { Console.write(Self.drawn(code) + "\n") }
      Console.writeLine("Scan this with your authenticator app, or type into it: \(secret)")
    }
    let confirmation = RemoteConfirmation(
      theater, at: AccountEndpoint.confirmSecondFactor.path())
    _ = try await CodeScreen(CodeTicket(wait: nil)).ask(
      confirmation, "The code that it shows now")
    try output.show(confirmation.answer) {
      "Your second factor is active: each login asks for a code of the app.\n"
        + RecoveryCodeText.text($0)
    }
  }

  /// The QR code, light on dark in every colour scheme.
  private static func drawn(_ code: QRCode) -> String {
    guard Console.isTerminal else { return code.lines.joined(separator: "\n") }
    return code.lines.map { "\u{1B}[38;5;231;48;5;16m\($0)\u{1B}[0m" }.joined(separator: "\n")
  }
}

/// `theater totp remove`.
struct TOTPRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove your authenticator app and the recovery codes.")
  @OptionGroup var password: PasswordOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    let password = try Prompt.password(fromInput: password.passwordStdin)
    try await theater.post(
      AccountEndpoint.removeSecondFactor.path(), ["password": .string(password)])
    output.confirm("Your second factor is removed.")
  }
}

/// `theater recovery-codes`: makes ten new ones.
struct RecoveryCodes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-codes",
    abstract: "Make new recovery codes; the earlier ones are void.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try output.show(
      try await RemoteTheater().post(AccountEndpoint.renewRecoveryCodes.path()),
      RecoveryCodeText.text)
  }
}

/// The list of recovery codes, which is shown once.
enum RecoveryCodeText {
  /// The codes of a response.
  static func text(_ answer: JSON) -> String {
    let codes = (answer["recoveryCodes"]?.array ?? []).compactMap(\.string)
    let heading =
      "Recovery codes, each good once in place of the app. Keep them on paper; they are not shown "
      + "again:"
    return ([heading] + codes.map { "  \($0)" }).joined(separator: "\n")
  }
}
