import AccountFlows
import ArgumentParser
import JSON
import TheaterAPI

/// Options of a command that takes a password.
struct PasswordOptions: ParsableArguments {
  @Flag(help: "Read the password from one line of standard input.")
  var passwordStdin = false
}

/// `theater login`: opens a session.
struct LogIn: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Log in.",
    discussion: """
      Asks for what is not given: your e-mail address, your password, and the code of your \
      second factor if you have one. Where standard input is no terminal, it holds these \
      answers, a line each.
      """)

  @Option(help: "The address of your account.")
  var email: String?
  @Option(help: "The verified number of your account, with --by-code.")
  var phone: String?
  @Flag(help: "Log in with a code that is sent to your verified address or number.")
  var byCode = false
  @OptionGroup var password: PasswordOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater(needsLogin: false)
    try await theater.requireController()
    let screens = AccountScreens(theater: theater)
    if Prompt.isInteractive, !password.passwordStdin {
      let person =
        byCode
        ? try await screens.logIn(byCode: CodePrompt(email: email, phone: phone))
        : try await screens.logIn(email: email)
      try await Self.openMainScreen(person)
    } else {
      Self.welcome(
        output,
        byCode
          ? try await logInByCode(screens)
          : try await NonInteractiveLogin(email: email, takesPassword: password.passwordStdin)
            .run(screens.driver(LoginScreen())))
    }
  }

  private func logInByCode(_ screens: AccountScreens) async throws -> LoggedInPerson {
    let prompt = try CodePrompt(email: email, phone: phone)
    let answers = NonInteractiveCode<LoginScreen>(
      prompt: prompt.contact.prompt, address: prompt.address, flow: { $0.oneTime },
      input: { .oneTime($0) })
    return try await NonInteractiveLogin.run(
      screens.driver(LoginScreen(byCode: prompt.nonInteractiveFlow), prompt.contact),
      byCode: answers)
  }

  /// Greets a person who has logged in, and shows the main screen (A5).
  static func openMainScreen(_ person: LoggedInPerson) async throws {
    Console.writeLine(greeting(of: person))
    await MainScreen(theater: try RemoteTheater()).show()
  }

  private static func greeting(of person: LoggedInPerson) -> String {
    "You are logged in, \(person.name)."
  }

  static func welcome(_ output: OutputOptions, _ person: LoggedInPerson) {
    output.confirm(
      greeting(of: person),
      ["name": .string(person.name), "email": .string(person.email)])
  }
}

/// `theater logout`: ends this user's session.
struct LogOut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "logout", abstract: "Log out.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await Self.logOut(try RemoteTheater())
    output.confirm("You are logged out.")
  }

  /// Ends this user's session, and forgets its token.
  static func logOut(_ theater: RemoteTheater) async throws {
    try theater.requireSession("logout")
    defer { theater.forgetSession() }
    try await theater.delete(SessionEndpoint.logOut.path())
  }
}

/// `theater whoami`: shows the logged-in user.
struct WhoAmI: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show who is logged in.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get(SessionEndpoint.currentSession.path())
    try output.show(answer) {
      let user = $0["user"]
      let address = user?["email"]?.string.map { " <\($0)>" } ?? ""
      return "\(user?["name"]?.string ?? "?")\(address), "
        + "\(user?["role"]?.string ?? "?")"
        + ($0["accessToken"]?["name"]?.string.map { " (access token \($0))" } ?? "")
    }
  }
}
