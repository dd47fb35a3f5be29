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
    commandName: "enrol", abstract: "Add your authenticator app.")

  func run() async throws {
    let theater = try RemoteTheater()
    try Prompt.requireInput("code")
    let answer = try await theater.post(AccountEndpoint.addSecondFactor.path())
    guard let uri = answer["uri"]?.string, let secret = answer["secret"]?.string else {
      throw ExitError(.failed, "the controller gave no secret")
    }
    if let code = QRCode(uri) { Console.write(Self.drawn(code) + "\n") }
    Console.writeLine("Scan this with your authenticator app, or type into it: \(secret)")
    let confirmation = RemoteConfirmation(
      theater, at: AccountEndpoint.confirmSecondFactor.path())
    _ = try await CodeScreen(CodeTicket(wait: nil)).ask(
      confirmation, "The code that it shows now")
    Console.writeLine("Your second factor is active: each login asks for a code of the app.")
    RecoveryCodeText.write(confirmation.answer)
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

  func run() async throws {
    let theater = try RemoteTheater()
    let password = try Prompt.password(fromInput: password.passwordStdin, twice: false)
    try await theater.post(
      AccountEndpoint.removeSecondFactor.path(), ["password": .string(password)])
    Console.writeLine("Your second factor is removed.")
  }
}

/// `theater recovery-codes`: makes ten new ones.
struct RecoveryCodes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-codes",
    abstract: "Make new recovery codes; the earlier ones are void.")

  func run() async throws {
    RecoveryCodeText.write(
      try await RemoteTheater().post(AccountEndpoint.renewRecoveryCodes.path()))
  }
}

/// The list of recovery codes, which is shown once.
enum RecoveryCodeText {
  /// Writes the codes of a response to standard output.
  static func write(_ answer: JSON) {
    let codes = (answer["recoveryCodes"]?.array ?? []).compactMap(\.string)
    Console.writeLine(
      "Recovery codes, each good once in place of the app. Keep them on paper; they are not shown "
        + "again:")
    for code in codes { Console.writeLine("  \(code)") }
  }
}
