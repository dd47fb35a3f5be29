import AccountFlows
import ArgumentParser
import JSON

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

  func run() async throws {
    let theater = try RemoteTheater(needsLogin: false)
    try theater.expectController()
    if byCode {
      Self.welcome(try await logInByCode(theater))
    } else if Prompt.isInteractive, !password.passwordStdin {
      try await Self.onScreen(theater, email: email)
    } else {
      let answers = NonInteractiveLogin(email: email, takesPassword: password.passwordStdin)
      Self.welcome(try await answers.run(Self.driver(LoginScreen(), theater)))
    }
  }

  private func logInByCode(_ theater: RemoteTheater) async throws -> LoggedIn {
    let prompt = try CodePrompt(email: email, phone: phone)
    guard !Prompt.isInteractive else {
      let driver = Self.driver(LoginScreen(byCode: prompt.flow), theater, prompt.channel)
      guard let person = try await LoginView(hasEmail: false).run(driver).person else {
        throw ExitError(silent: .failed)
      }
      return person
    }
    let answers = NonInteractiveCode<LoginScreen>(
      prompt: prompt.channel.prompt, contact: prompt.contact, flow: { $0.oneTime },
      input: { .oneTime($0) })
    return try await NonInteractiveLogin.run(
      Self.driver(LoginScreen(byCode: prompt.nonInteractiveFlow), theater, prompt.channel),
      byCode: answers)
  }

  /// Runs the login screen in the terminal.
  static func onScreen(_ theater: RemoteTheater, email: String?) async throws {
    let screen = LoginScreen(email: email ?? "")
    let end = try await LoginView(hasEmail: email != nil).run(driver(screen, theater))
    if let person = end.person { welcome(person) }
  }

  private static func driver(
    _ screen: LoginScreen, _ theater: RemoteTheater, _ channel: RemoteCodes.Channel = .email
  ) -> ScreenDriver<LoginScreen> {
    screen.driver(
      Authenticator(
        service: RemoteLogin(theater: theater, channel: channel),
        keeper: TokenFile(theater.paths.token)))
  }

  private static func welcome(_ person: LoggedIn) {
    Console.say("You are logged in, \(person.name).")
  }
}

/// `theater logout`: ends this user's session.
struct LogOut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "logout", abstract: "Log out.")

  func run() async throws {
    let theater = try RemoteTheater()
    defer { TokenFile(theater.paths.token).remove() }
    try await theater.delete("/api/v1/sessions/current")
    Console.say("You are logged out.")
  }
}

/// `theater whoami`: shows the logged-in user.
struct WhoAmI: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show who is logged in.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get("/api/v1/sessions/current")
    try output.show(answer) {
      let user = $0["user"]
      let address = user?["email"]?.string.map { " <\($0)>" } ?? ""
      return "\(user?["name"]?.string ?? "?")\(address), "
        + "\(user?["role"]?.string ?? "?")"
    }
  }
}
