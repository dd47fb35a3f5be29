import AccountScreens
import ArgumentParser
import JSON

/// Options of a command that takes a password.
struct PasswordOptions: ParsableArguments {
  @Flag(help: "Read the password from one line of standard input.")
  var passwordStdin = false
}

/// `theater login`: a session for this user.
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
      try await logInByCode(theater)
    } else if Question.isScreen, !password.passwordStdin {
      try await Self.onScreen(theater, email: email)
    } else {
      let lines = LoginLines(email: email, takesPassword: password.passwordStdin)
      Self.welcome(try await lines.play(Self.driver(LoginScreen(), theater)))
    }
  }

  private func logInByCode(_ theater: RemoteTheater) async throws {
    let place = try CodePlace(email: email, phone: phone)
    let sent = try SentCode(await theater.post("/api/login-codes", place.json))
    let code = try sent.ask("\(place.text), if an account has verified it")
    let answer = try await SecondStep(theater).logIn(
      ["request": .string(sent.request), "oneTimeCode": .string(code)])
    guard let token = answer["token"]?.string else {
      throw Ending(.failed, "the controller gave no token")
    }
    try TokenFile(theater.folders.token).write(token)
    try theater.keepDevice(of: answer)
    let user = answer["user"]
    Self.welcome(
      LoggedIn(name: user?["name"]?.string ?? "", email: user?["email"]?.string ?? ""))
  }

  /// The login screen in the terminal.
  static func onScreen(_ theater: RemoteTheater, email: String?) async throws {
    let screen = LoginScreen(email: email ?? "")
    let end = try await LoginFace(hasEmail: email != nil).play(driver(screen, theater))
    if let person = end.person { welcome(person) }
  }

  private static func driver(_ screen: LoginScreen, _ theater: RemoteTheater)
    -> ScreenDriver<LoginScreen>
  {
    screen.driver(
      Authenticator(
        service: RemoteLogin(theater: theater), keeper: TokenFile(theater.folders.token)))
  }

  private static func welcome(_ person: LoggedIn) {
    Console.say("You are logged in, \(person.name).")
  }
}
