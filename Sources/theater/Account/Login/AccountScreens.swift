import AccountFlows
import Validation

/// The terminal's screens for login and registration, and those that the login screen opens (E6,
/// A12).
struct AccountScreens {
  let theater: RemoteTheater

  /// Shows the login screen, and the screens that it opens, until a person is logged in.
  /// - Parameter email: The initial address, when it is known already.
  func logIn(email: String? = nil) async throws -> LoggedInPerson {
    var email = email
    var draft = RegistrationDraft()
    while true {
      let view = LoginView(hasEmail: email != nil)
      let end = try await view.run(driver(LoginScreen(email: email ?? "")))
      if let person = end.person { return person }
      // When the screen appears again, its fields are empty, except for the address of a new
      // account.
      email = nil
      do {
        switch end.exit {
        case .registration:
          switch try await register(isLeavable: true, &draft) {
          case .loggedIn(let person): return person
          case .registered(let person): email = person.email
          }
        case .forgottenPassword: try await resetPassword()
        case .oneTimeCode:
          return try await logIn(byCode: CodePrompt(.email, to: nil), isLeavable: true)
        case nil: throw ExitError(silent: .failed)
        }
      } catch is ScreenLeft {
        continue
      } catch let error as ExitError where error.leadsBackToLogin {
        Console.writeErrorLine(error.text)
      }
    }
  }

  /// Shows the login screen for a login by one-time code.
  /// - Parameter isLeavable: Whether Escape leads from the address to the screen before.
  func logIn(byCode prompt: CodePrompt, isLeavable: Bool = false) async throws -> LoggedInPerson {
    let view = LoginView(isLeavable: isLeavable)
    let end = try await view.run(driver(LoginScreen(byCode: prompt.flow), prompt.contact))
    guard let person = end.person else { throw ExitError(silent: .failed) }
    return person
  }

  /// The outcome of a registration.
  enum Registration {
    /// The account exists; the person has to log in.
    case registered(Registered)
    case loggedIn(LoggedInPerson)
  }

  /// Asks for the setup code or invitation and for the way to register, then registers the person.
  func register(given: [FieldName: String] = [:]) async throws -> Registration {
    var draft = RegistrationDraft()
    return try await register(given: given, isLeavable: false, &draft)
  }

  private func register(
    given: [FieldName: String] = [:], isLeavable: Bool, _ draft: inout RegistrationDraft
  ) async throws -> Registration {
    while true {
      let start = draft.start.driver()
      do {
        draft.start = try await RegistrationStartView(isLeavable: isLeavable).run(start).reopened
      } catch is ScreenLeft {
        draft.start = await start.screen.reopened
        throw ScreenLeft()
      }
      guard let way = await start.screen.way else { throw ExitError(silent: .failed) }
      do {
        return try await register(way, given: given, isLeavable: true, &draft)
      } catch is ScreenLeft {
        // Back to the first screen, which has what was typed.
        continue
      }
    }
  }

  /// Registers a person.
  /// - Parameters:
  ///   - given: Answers from the command line.
  ///   - address: Where a code is sent; `nil` to ask.
  func register(
    _ way: RegistrationWay, given: [FieldName: String] = [:], address: String? = nil
  ) async throws -> Registration {
    var draft = RegistrationDraft()
    return try await register(way, given: given, address: address, isLeavable: false, &draft)
  }

  /// - Parameter isLeavable: Whether Escape leads from the first field to the screen before.
  private func register(
    _ way: RegistrationWay, given: [FieldName: String], address: String? = nil,
    isLeavable: Bool, _ draft: inout RegistrationDraft
  ) async throws -> Registration {
    let rules = try await RemoteRegistration.rules(of: theater)
    switch way {
    case .byName(let code):
      let view = RegistrationView(
        given: draft.wizard == nil ? given : [:], isLeavable: isLeavable)
      let wizard = (draft.wizard ?? RegistrationWizard(rules))
        .driver(RemoteRegistration(theater: theater, code: code))
      let end: RegistrationWizard
      do {
        end = try await view.run(wizard)
      } catch is ScreenLeft {
        draft.wizard = await wizard.screen
        throw ScreenLeft()
      }
      guard case .success(let person) = end.outcome else { throw ExitError(silent: .failed) }
      Console.writeLine(Register.welcome(person))
      return .registered(person)
    case .byCode(let contact, let invitation):
      let service = RemoteCodeRegistration(
        codes: .registering(by: contact, invitation: invitation, at: theater))
      let address = address ?? (contact == .email ? given[.email] : nil)
      let end = try await CodeRegistrationView(given: given, isLeavable: isLeavable)
        .run(CodeRegistration(by: contact, rules, to: address).driver(service))
      guard let person = end.person else { throw ExitError(silent: .failed) }
      return .loggedIn(person)
    }
  }

  /// What was typed into the screens of a registration that the person has left with Escape.
  private struct RegistrationDraft {
    var start = RegistrationStart()
    var wizard: RegistrationWizard?
  }

  private func resetPassword() async throws {
    try await NewPasswordPrompt(theater, fromInput: false)
      .reset(by: CodePrompt(.email, to: nil), at: theater, isLeavable: true)
    Console.writeLine("Your password is set; log in with it.")
  }

  /// Runs a login screen with this user's controller.
  /// - Parameter contact: Where codes for a login by code are sent.
  func driver(_ screen: LoginScreen, _ contact: CodeContact = .email) -> ScreenDriver<LoginScreen> {
    screen.driver(
      Authenticator(
        service: RemoteLogin(theater: theater, contact: contact),
        tokens: theater.session))
  }
}

extension ExitError {
  /// Whether a screen after the login screen has failed, and the person may choose again.
  fileprivate var leadsBackToLogin: Bool {
    code == .failed && !text.isEmpty && self != .cancelled && self != .terminalEnded
  }
}
