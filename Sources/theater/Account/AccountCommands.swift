import ArgumentParser
import JSON

/// Options of a command that takes a password.
struct PasswordOptions: ParsableArguments {
  @Flag(help: "Read the password from one line of standard input.")
  var passwordStdin = false
}

/// `theater register`: an account for the holder of a code.
struct Register: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make an account, with the setup code or an invitation.")

  @Option(help: ArgumentHelp("The code from the controller's console.", valueName: "code"))
  var setupCode: String?
  @Option(help: ArgumentHelp("The code of an invitation.", valueName: "code"))
  var invitation: String?
  @Option(help: "How you want to be called.")
  var name: String?
  @Option(help: "What you will log in with.")
  var email: String?
  @OptionGroup var password: PasswordOptions

  func validate() throws {
    guard setupCode == nil || invitation == nil else {
      throw ValidationError("Give either --setup-code or --invitation.")
    }
  }

  func run() async throws {
    let theater = try RemoteTheater(needsLogin: false)
    var body = JSONObject()
    if let invitation {
      body["invitation"] = .string(invitation)
    } else {
      body["setupCode"] = .string(try setupCode ?? Question.ask("Setup code"))
    }
    body["name"] = .string(try name ?? Question.ask("Your name"))
    let email = try email ?? Question.ask("E-mail address")
    body["email"] = .string(email)
    body["password"] = .string(
      try Question.password(
        fromInput: password.passwordStdin, twice: !password.passwordStdin))
    let user = try await theater.post("/api/accounts", .object(body))["user"]
    Console.say(
      "Welcome, \(user?["name"]?.string ?? "")! You are registered as "
        + "\(user?["role"]?.string ?? "member").\nnext: \(Invocation.name) login --email \(email)")
  }
}

/// `theater login`: a session for this user.
struct LogIn: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "login", abstract: "Log in.")

  @Option(help: "The address of your account.")
  var email: String?
  @Option(help: "The verified number of your account, with --by-code.")
  var phone: String?
  @Flag(help: "Log in with a code that is sent to your verified address or number.")
  var byCode = false
  @OptionGroup var password: PasswordOptions

  func run() async throws {
    let theater = try RemoteTheater(needsLogin: false)
    let answer = byCode ? try await logInByCode(theater) : try await logInByPassword(theater)
    guard let token = answer["token"]?.string else {
      throw Ending(.failed, "the controller gave no token")
    }
    try TokenFile(theater.folders.token).write(token)
    if let device = answer["device"]?.string {
      try TokenFile(theater.folders.device).write(device)
    }
    Console.say("You are logged in, \(answer["user"]?["name"]?.string ?? "").")
  }

  private func logInByPassword(_ theater: RemoteTheater) async throws -> JSON {
    let email = try email ?? Question.ask("E-mail address")
    let password = try Question.password(fromInput: password.passwordStdin, twice: false)
    return try await SecondStep(theater).logIn(
      ["email": .string(email), "password": .string(password)])
  }

  private func logInByCode(_ theater: RemoteTheater) async throws -> JSON {
    let place = try CodePlace(email: email, phone: phone)
    let sent = try SentCode(await theater.post("/api/login-codes", place.json))
    let code = try sent.ask("\(place.text), if an account has verified it")
    return try await SecondStep(theater).logIn(
      ["request": .string(sent.request), "oneTimeCode": .string(code)])
  }
}

/// `theater logout`: the end of this user's session.
struct LogOut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "logout", abstract: "Log out.")

  func run() async throws {
    let theater = try RemoteTheater()
    defer { TokenFile(theater.folders.token).remove() }
    try await theater.delete("/api/sessions/current")
    Console.say("You are logged out.")
  }
}

/// `theater whoami`: who is logged in.
struct WhoAmI: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show who is logged in.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get("/api/sessions/current")
    try output.show(answer) {
      let user = $0["user"]
      let address = user?["email"]?.string.map { " <\($0)>" } ?? ""
      return "\(user?["name"]?.string ?? "?")\(address), "
        + "\(user?["role"]?.string ?? "?")"
    }
  }
}
