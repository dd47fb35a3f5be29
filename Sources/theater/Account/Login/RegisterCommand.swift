import AccountFlows
import ArgumentParser
import JSON
import Validation

/// `theater register`: makes an account for the holder of a setup code or an invitation.
struct Register: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make an account, with the setup code or an invitation.",
    discussion: """
      Asks for what is not given: the code, your name, your e-mail address, and a password \
      twice. With --by-code a one-time code goes to your address or number first. Where standard \
      input is no terminal, it holds these answers, a line each. The controller keeps your name, \
      your e-mail address and a log of what you do: a form asks whether you accept that, and \
      who registers without a form accepts it.
      """)

  @Option(help: ArgumentHelp("The code from the controller's console.", valueName: "code"))
  var setupCode: String?
  @Option(help: ArgumentHelp("The code of an invitation.", valueName: "code"))
  var invitation: String?
  @Flag(help: "First verify your address, or with --phone your number, by a sent code.")
  var byCode = false
  @Option(help: "Your name, as others see it.")
  var name: String?
  @Option(help: "The e-mail address that you will log in with.")
  var email: String?
  @Option(help: "The number that gets the code, with --by-code.")
  var phone: String?
  @OptionGroup var password: PasswordOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard setupCode == nil || invitation == nil else {
      throw ValidationError("Give either --setup-code or --invitation.")
    }
    guard !byCode || invitation != nil else {
      throw ValidationError("--by-code needs --invitation.")
    }
    guard byCode || phone == nil else { throw ValidationError("--phone needs --by-code.") }
  }

  func run() async throws {
    let theater = try RemoteTheater(needsLogin: false)
    try await theater.requireController()
    if Prompt.isInteractive, !password.passwordStdin {
      try await registerOnScreen(AccountScreens(theater: theater))
    } else {
      try await registerNonInteractively(theater)
    }
  }

  private func registerOnScreen(_ screens: AccountScreens) async throws {
    let registration: AccountScreens.Registration
    if let way = givenWay {
      registration = try await screens.register(way, given: given, address: address)
    } else {
      registration = try await screens.register(given: given)
    }
    switch registration {
    case .registered(let person):
      try await LogIn.openMainScreen(screens.logIn(email: person.email))
    case .loggedIn(let person): try await LogIn.openMainScreen(person)
    }
  }

  private func registerNonInteractively(_ theater: RemoteTheater) async throws {
    let rules = try await RemoteRegistration.rules(of: theater)
    let answers = NonInteractiveRegistration(
      given: given, takesPasswordOnce: password.passwordStdin)
    switch try givenWay ?? .byName(.setupCode(Prompt.line("Setup code"))) {
    case .byName(let code):
      let service = RemoteRegistration(theater: theater, code: code)
      let person = try await answers.run(RegistrationWizard(rules).driver(service))
      output.confirm(
        "\(Self.welcome(person))\nnext: \(ProgramName.name) login --email \(person.email)",
        [
          "name": .string(person.name), "email": .string(person.email),
          "role": .string(person.role),
        ])
    case .byCode(let contact, let invitation):
      let service = RemoteCodeRegistration(
        codes: .registering(by: contact, invitation: invitation, at: theater))
      LogIn.welcome(
        output,
        try await answers.run(
          CodeRegistration(by: contact, rules).driver(service), by: contact, to: address))
    }
  }

  /// The way to register that the options select; `nil` without a code.
  private var givenWay: RegistrationWay? {
    if let setupCode { return .byName(.setupCode(setupCode)) }
    guard let invitation else { return nil }
    if byCode { return .byCode(phone == nil ? .email : .phone, invitation: invitation) }
    return .byName(.invitation(invitation))
  }

  /// The address or number that gets the code.
  private var address: String? { phone ?? email }

  /// Answers of the command line.
  private var given: [FieldName: String] {
    var given: [FieldName: String] = [:]
    given[.name] = name
    given[.email] = email
    return given
  }

  static func welcome(_ person: Registered) -> String {
    "Welcome, \(person.name)! You are registered as \(person.role)."
  }
}
