import AccountFlows
import ArgumentParser
import Validation

/// `theater register`: makes an account for the holder of a setup code or an invitation.
struct Register: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make an account, with the setup code or an invitation.",
    discussion: """
      Asks for what is not given: the code, your name, your e-mail address, and a password \
      twice. Where standard input is no terminal, it holds these answers, a line each.
      """)

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
    try theater.expectController()
    let service = RemoteRegistration(theater: theater, admission: try admission())
    let rules = try await RemoteRegistration.rules(of: theater)
    let wizard = RegistrationWizard(rules).driver(service)
    var given: [FieldName: String] = [:]
    given[.name] = name
    given[.email] = email
    if Prompt.isInteractive, !password.passwordStdin {
      let end = try await RegistrationView(given: given).run(wizard)
      guard case .success(let person) = end.outcome else { throw ExitError(silent: .failed) }
      Console.say(welcome(person))
      try await LogIn.onScreen(theater, email: person.email)
    } else {
      let answers = NonInteractiveRegistration(
        given: given, takesPasswordOnce: password.passwordStdin)
      let person = try await answers.run(wizard)
      Console.say("\(welcome(person))\nnext: \(Invocation.name) login --email \(person.email)")
    }
  }

  private func admission() throws -> RemoteRegistration.Admission {
    if let invitation { return .invitation(invitation) }
    return .setupCode(try setupCode ?? Prompt.line("Setup code"))
  }

  private func welcome(_ person: Registered) -> String {
    "Welcome, \(person.name)! You are registered as \(person.role)."
  }
}
