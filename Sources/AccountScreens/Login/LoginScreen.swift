import Validation

/// The login screen: address, password, a button that follows the rules, and the code of the second
/// factor where the account has one.
package struct LoginScreen: ScreenModel {
  package enum Input: Sendable {
    /// What a field holds after a keystroke.
    case typed(FieldName, String)
    /// The person goes on to another field.
    case left(FieldName)
    /// The button, or Enter.
    case submit
    /// What the field of the second factor holds.
    case code(String)
    /// From the second factor back to the password.
    case back
  }

  package enum Output: Sendable, Hashable {
    /// The button changed.
    case canSubmit(Bool)
    /// All controls are disabled, and progress is shown, while it is true.
    case loading(Bool)
    case failure(ScreenFailure)
    /// Progress goes on with the code of the second factor.
    case codeNeeded
    /// The main screen opens.
    case loggedIn(LoggedIn)
  }

  package enum Work: Sendable, Hashable {
    case logIn(Credentials)
  }

  package enum Answer: Sendable {
    case loggedIn(Result<LoggedIn?, ScreenFailure>)
  }

  package enum Step: Sendable, Hashable {
    case password, code
  }

  package private(set) var step = Step.password
  package private(set) var isLoading = false
  /// The error of the last try, until the next one.
  package private(set) var failure: ScreenFailure?
  package private(set) var person: LoggedIn?
  private var fields: LoginForm
  private var entry = CodeEntry(length: Self.digits)
  private var typedCode = ""

  /// Of a code of the second factor (RFC 6238, as every app makes them).
  private static let digits = 6

  /// - Parameter email: What the address begins with.
  package init(email: String = "") { fields = LoginForm(email: email) }

  package var form: Form { fields.form }
  /// What the field of the second factor holds.
  package var code: String { typedCode }
  package var isOver: Bool { person != nil }
  /// Whether nothing can be typed or pressed.
  package var isLocked: Bool { isLoading || isOver }

  /// Whether the button is enabled.
  package var canSubmit: Bool {
    guard !isLocked, fields.isValid else { return false }
    return step == .password || !typedCode.isEmpty
  }

  package mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    let before = canSubmit
    let effects =
      switch event {
      case .appeared: [Effect]()
      case .input(let input): isLocked ? [] : take(input)
      case .answer(.loggedIn(let result)): answered(result)
      }
    return (canSubmit == before ? [] : [.tell(.canSubmit(canSubmit))]) + effects
  }

  private mutating func take(_ input: Input) -> [Effect] {
    switch (step, input) {
    case (.password, .typed(let field, let text)): fields.type(text, into: field)
    case (.password, .left(let field)): fields.leave(field)
    case (.password, .submit):
      fields.reveal()
      return fields.isValid ? submit(fields.credentials) : []
    case (.code, .code(let text)): return type(code: text)
    case (.code, .submit): return typedCode.isEmpty ? [] : submitCode()
    case (.code, .back):
      step = .password
      failure = nil
      clearCode()
    default: break  // Of the step that is not shown.
    }
    return []
  }

  // MARK: The second factor

  /// A whole code submits itself; what else is accepted in its place waits for the button.
  private mutating func type(code text: String) -> [Effect] {
    typedCode = text
    return entry.type(text) && entry.isWhole ? submitCode() : []
  }

  private mutating func submitCode() -> [Effect] {
    let code = typedCode.filter { !$0.isWhitespace }
    let known = fields.credentials
    return submit(Credentials(email: known.email, password: known.password, code: code))
  }

  private mutating func clearCode() {
    typedCode = ""
    entry.clear()
  }

  // MARK: Asking

  private mutating func submit(_ credentials: Credentials) -> [Effect] {
    isLoading = true
    failure = nil
    return [.tell(.loading(true)), .start(.logIn(credentials))]
  }

  private mutating func answered(_ result: Result<LoggedIn?, ScreenFailure>) -> [Effect] {
    isLoading = false
    switch result {
    case .success(let person?):
      self.person = person
      return [.tell(.loading(false)), .tell(.loggedIn(person))]
    case .success(nil):
      step = .code
      clearCode()
      return [.tell(.loading(false)), .tell(.codeNeeded)]
    case .failure(let failure):
      self.failure = failure
      if case .refused = failure { clearCode() }
      return [.tell(.loading(false)), .tell(.failure(failure))]
    }
  }
}
