import Platform
import Validation

/// Registers the holder of an invitation by a code (D10).
public protocol CodeRegistrationService: CodeRequestService, CodeService {
  /// Creates an account with the address or number that the code verifies, logs in and stores the session's token.
  /// - Parameter request: The `request` of the code's ticket.
  func register(
    _ person: NewPerson, code: String, request: String
  ) async throws(ScreenFailure) -> LoggedInPerson
}

/// Registration that begins with a phone number or an e-mail address (D10): the person types the code
/// that was sent there, then the personal data that is missing, and the main screen opens.
public struct CodeRegistration: ScreenModel {
  /// The current part: the one-time code, then the personal data.
  public enum Step: Sendable, Hashable {
    case code, personalData
  }

  /// An action of the person.
  public enum Input: Sendable, ConcealedInput {
    /// An input of the one-time code.
    case code(CodeFlow.Input)
    /// The text of a field of the personal data after a keystroke.
    case typed(FieldName, String)
    /// A field lost the focus.
    case left(FieldName)
    /// The button, or Enter.
    case submit
  }

  /// A notification for the front end.
  public enum Output: Sendable, Hashable {
    /// An output of the one-time code.
    case code(CodeFlow.Output)
    /// The code was right; these fields are still needed.
    case personalDataNeeded([FieldName])
    /// The button was enabled or disabled.
    case canSubmit(Bool)
    /// All controls are disabled, and progress is shown, while it is true.
    case loading(Bool)
    /// The passwords differ, or the registration failed. A code that is no longer valid leads back
    /// to the first part.
    case failure(ScreenFailure)
    /// The main screen opens.
    case loggedIn(LoggedInPerson)
  }

  /// A request to the services or the clock.
  public enum Work: Sendable, Hashable {
    /// Work of the one-time code.
    case code(CodeFlow.Work)
    /// Registers the person, with the accepted code and the request of its ticket.
    case register(NewPerson, code: String, request: String)
  }

  /// The result of a `Work`.
  public enum Answer: Sendable {
    /// An answer to work of the one-time code.
    case code(CodeFlow.Answer)
    /// The person is registered and logged in, or was refused.
    case registered(Result<LoggedInPerson, ScreenFailure>)
  }

  private static let group: GroupName = "personalData"
  private static let button: ControlName = "register"

  /// The part that is shown.
  public private(set) var step = Step.code
  /// From the address or number to the accepted code.
  public private(set) var flow: CodeFlow
  /// The fields of the personal data.
  public private(set) var form: Form
  /// The user who is registered and logged in; nil before.
  public private(set) var person: LoggedInPerson?
  /// The personal data that the person types; an e-mail address that was verified is not among them.
  public let fields: [FieldName]
  private let contactField: FieldName
  private var isRegistering = false
  private var lastFailure: ScreenFailure?

  /// - Parameters:
  ///   - contact: Whether to begin with `.email` or `.phone`.
  ///   - rules: The controller's rules for names, addresses and passwords; it checks them again.
  ///   - address: The destination of the first code, sent at once; nil to ask the person.
  public init(by contact: CodeContact, _ rules: RuleSet, to address: String? = nil) {
    contactField = contact.field
    var declaration = rules[contactField].withoutQuestions
    declaration.isRequired = true
    flow = CodeFlow(declaration, contact: address)
    fields =
      [.name] + (contact == .phone ? [.email] : []) + NewPasswordScreen.fields + [.accept]
    // The verified address is in the form, for the rules that compare with it.
    let known = contact == .email ? [FieldName.email] : []
    form = Form(
      (known + fields).map { rules.declaration(of: $0).withoutQuestions },
      groups: [FormGroup(Self.group, fields: fields, controls: [Self.button])])
  }

  public var isLoading: Bool { isRegistering || (step == .code && flow.isLoading) }
  /// Whether the person is registered and logged in.
  public var isOver: Bool { person != nil }
  /// Whether nothing can be typed or pressed.
  public var isLocked: Bool { isLoading || isOver }
  /// Whether the button is enabled.
  public var canSubmit: Bool {
    guard !isLocked else { return false }
    return step == .code ? flow.canSubmit : form.isEnabled(Self.button)
  }
  /// The error of the last attempt, until the next one.
  public var failure: ScreenFailure? { step == .code ? flow.failure : lastFailure }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    let before = canSubmit
    let effects =
      switch event {
      case .appeared: sendToFlow(.appeared, at: now)
      case .input(let input): isLocked ? [] : handle(input, at: now)
      case .answer(.code(let answer)): handleCodeAnswer(answer, at: now)
      case .answer(.registered(let result)): finishRegistration(result)
      }
    return (canSubmit == before ? [] : [.emit(.canSubmit(canSubmit))]) + effects
  }

  private mutating func handle(_ input: Input, at now: Duration) -> [Effect] {
    switch (step, input) {
    case (.code, .code(let input)): return sendToFlow(.input(input), at: now)
    case (.personalData, .typed(let field, let text)) where fields.contains(field):
      lastFailure = nil
      _ = form.send(.type(field, text))
    case (.personalData, .left(let field)): _ = form.send(.leave(field))
    case (.personalData, .submit): return submit()
    default: break  // An input of the step that is not shown.
    }
    return []
  }

  private mutating func handleCodeAnswer(
    _ answer: CodeFlow.Answer, at now: Duration
  ) -> [Effect] {
    let effects = sendToFlow(.answer(answer), at: now)
    guard flow.authorization != nil, step == .code else { return effects }
    step = .personalData
    if contactField == .email { _ = form.send(.type(.email, flow.sentTo ?? "")) }
    return effects + [.emit(.personalDataNeeded(fields))]
  }

  private mutating func submit() -> [Effect] {
    if form.isMismatch { return refuse(.mismatch) }
    _ = form.send(.submit(Self.group))
    guard canSubmit, let code = flow.code else { return [] }
    isRegistering = true
    lastFailure = nil
    let person = NewPerson(
      name: form.text(.name), email: form.text(.email), password: form.text(.password))
    return [
      .emit(.loading(true)),
      .start(.register(person, code: code.code, request: code.ticket.request)),
    ]
  }

  private mutating func finishRegistration(
    _ result: Result<LoggedInPerson, ScreenFailure>
  ) -> [Effect] {
    isRegistering = false
    switch result {
    case .success(let person):
      self.person = person
      return [.emit(.loading(false)), .emit(.loggedIn(person))]
    case .failure(let failure):
      // A code that is no longer valid is typed anew; the personal data stays.
      if case .refused(let refusal) = failure, ["codeWrong", "codeExpired"].contains(refusal.code) {
        step = .code
        flow.reopen(after: failure)
        return [.emit(.loading(false)), .emit(.failure(failure))]
      }
      return [.emit(.loading(false))] + refuse(failure)
    }
  }

  private mutating func refuse(_ failure: ScreenFailure) -> [Effect] {
    lastFailure = failure
    // A password that was refused is typed anew.
    if let field = failure.field, NewPasswordScreen.fields.contains(FieldName(field)) {
      for field in NewPasswordScreen.fields { _ = form.send(.reset(field)) }
    }
    return [.emit(.failure(failure))]
  }

  private mutating func sendToFlow(_ event: CodeFlow.Event, at now: Duration) -> [Effect] {
    flow.receive(event, at: now).map { $0.map(Output.code, Work.code) }
  }
}

extension CodeRegistration {
  /// Runs the screen with a service and a clock.
  public func driver(
    _ service: some CodeRegistrationService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<CodeRegistration> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .code(let work): await CodeFlow.perform(work, by: service, clock).map { .code($0) }
      case .register(let person, let code, let request):
        .registered(
          await Result(of: { () throws(ScreenFailure) in
            try await service.register(person, code: code, request: request)
          }))
      }
    }
  }
}
