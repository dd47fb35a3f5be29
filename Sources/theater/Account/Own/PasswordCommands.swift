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
    let place = try CodePlace(email: email, phone: phone)
    let sent = try SentCode(await theater.post("/api/password-resets", place.json))
    let code = try sent.ask("\(place.text), if an account has verified it")
    let isInput = password.passwordStdin
    let new = try Question.password(fromInput: isInput, twice: !isInput)
    try await theater.post(
      "/api/password-resets/confirmation",
      ["request": .string(sent.request), "code": .string(code), "newPassword": .string(new)])
    Console.say("Your password is set; log in with it: \(Invocation.name) login")
  }
}

/// Where a code is to go: an address, or a number.
struct CodePlace {
  let text: String
  let json: JSON

  /// Asks for the address where neither is given.
  init(email: String?, phone: String?) throws(Ending) {
    if let phone {
      guard email == nil else { throw Ending(.wrongUsage, "give either --email or --phone") }
      (text, json) = (phone, ["phone": .string(phone)])
    } else {
      let address: String
      if let email { address = email } else { address = try Question.ask("E-mail address") }
      (text, json) = (address, ["email": .string(address)])
    }
  }
}
