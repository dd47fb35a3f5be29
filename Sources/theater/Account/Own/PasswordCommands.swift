import AccountScreens
import ArgumentParser
import JSON

/// `theater password`: a new one.
struct PasswordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password", abstract: "Change or reset your password.",
    subcommands: [PasswordChange.self, PasswordReset.self])
}

/// `theater password change`: for who knows the old one.
struct PasswordChange: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Change your password; your other sessions end.",
    discussion: "With --password-stdin: the present password, then the new one, a line each.")
  @OptionGroup var password: PasswordOptions

  func run() async throws {
    let theater = try RemoteTheater()
    let isInput = password.passwordStdin
    if !isInput { Console.say("First your present password, then the new one.") }
    let old = try Question.password(fromInput: isInput, twice: false)
    let new = try Question.password(fromInput: isInput, twice: !isInput)
    try await theater.post(
      "/api/account/password", ["password": .string(old), "newPassword": .string(new)])
    Console.say("Your password is changed; your other sessions have ended.")
  }
}

/// `theater password reset`: for who has forgotten it.
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
    try theater.expectController()
    let prompt = try CodePrompt(email: email, phone: phone)
    let codes = RemoteCodes.resetting(by: prompt.channel, at: theater)
    let end = try await prompt.ask(codes)
    guard let code = end.code else { throw Ending(silent: .failed) }
    while let refusal = try await setPassword(by: code, codes) {
      // The code stays good, and somebody is there to mend the password.
      guard Question.isScreen, !password.passwordStdin, refusal.field == Self.field else {
        throw Ending(refusal)
      }
      Console.complain(refusal.text)
    }
    Console.say("Your password is set; log in with it: \(Invocation.name) login")
  }

  private static let field = "newPassword"

  /// Takes a new password and sets it.
  /// - Returns: Why it was not set; nil where it was.
  private func setPassword(
    by code: CodeScreen, _ codes: RemoteCodes
  ) async throws -> ScreenFailure? {
    let isInput = password.passwordStdin
    let new = try Question.password(fromInput: isInput, twice: false)
    guard try isInput || Question.unseen("The same again") == new else {
      return .malformed(field: Self.field, message: "The two passwords differ.")
    }
    do throws(ScreenFailure) {
      _ = try await codes.confirm([
        "request": .string(code.ticket.request), "code": .string(code.code),
        Self.field: .string(new),
      ])
      return nil
    } catch {
      return error
    }
  }
}
