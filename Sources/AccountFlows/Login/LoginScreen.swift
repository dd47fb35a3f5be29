import Platform
import Validation

/// The login screen: e-mail address and password, or a code that is sent to an address or a number
/// (E4); then the code of the second factor if the account has one. It also leads to registration, to
/// a new password and to login by code (A12).
public struct LoginScreen: ScreenModel {
  /// An action of the person.
  public enum Input: Sendable, ConcealedInput {
    /// The text of a field after a keystroke.
    case typed(FieldName, String)
    /// A field lost the focus.
    case left(FieldName)
    /// The button, or Enter.
    case submit
    /// An input of the one-time code.
    case oneTime(CodeFlow.Input)
    /// The text of the second factor's field.
    case code(String)
    /// From the second factor back to the first step.
    case back
    /// Leaves for another screen.
    case leave(for: Exit)
  }

  /// A notification for the front end.
  public enum Output: Sendable, Hashable {
    /// The button was enabled or disabled.
    case canSubmit(Bool)
    /// All controls are disabled, and progress is shown, while it is true.
    case loading(Bool)
    /// The error of a request; the screen stays open.
    case failure(ScreenFailure)
    /// An output of the one-time code.
    case oneTime(CodeFlow.Output)
    /// The code of the second factor comes next.
    case codeNeeded
    /// The main screen opens.
    case loggedIn(LoggedInPerson)
    /// Another screen opens.
    case left(for: Exit)
  }

  /// A request to the service or the clock.
  public enum Work: Sendable, Hashable {
    /// Logs in; the answer has no person if the account needs a second factor.
    case logIn(Credentials)
    /// Sends a one-time code to this address or number.
    case requestCode(String)
    /// Answers `ticked` at this monotonic time.
    case tick(at: Duration)
  }

  /// The result of a `Work`.
  public enum Answer: Sendable {
    /// The person; nil when the account needs a code of its second factor.
    case loggedIn(Result<LoggedInPerson?, ScreenFailure>)
    /// A one-time code was sent, or could not be sent.
    case codeRequested(Result<CodeTicket, ScreenFailure>)
    case ticked
  }

  /// A screen that login leads to (A12).
  public enum Exit: Sendable, Hashable, CaseIterable {
    case registration, forgottenPassword, oneTimeCode
  }

  /// The form that is shown.
  public enum Step: Sendable, Hashable {
    case password, oneTimeCode, secondFactor
  }

  /// The form that is shown.
  public private(set) var step: Step
  /// The user who is logged in; nil before.
  public private(set) var person: LoggedInPerson?
  /// The screen that opens next instead of the main screen.
  public private(set) var exit: Exit?
  /// The one-time code; nil for a login with a password.
  public private(set) var oneTime: CodeFlow?
  private var fields: LoginForm
  private let email: String
  private var isAsking = false
  private var lastFailure: ScreenFailure?
  private var secondFactor = CodeEntry.secondFactor

  /// A login with a password.
  /// - Parameter email: The initial address, when it is known already.
  public init(email: String = "") {
    self.email = email
    fields = LoginForm(email: email)
    step = .password
  }

  /// A login with a code that is sent.
  public init(byCode flow: CodeFlow) {
    email = ""
    fields = LoginForm()
    oneTime = flow
    step = .oneTimeCode
  }

  /// The fields for e-mail address and password.
  public var form: Form { fields.form }
  /// The text of the second factor's field.
  public var code: String { secondFactor.text }
  /// Whether the person is logged in or leaves for another screen.
  public var isOver: Bool { person != nil || exit != nil }
  /// Whether a service is being asked.
  public var isLoading: Bool { isAsking || (step == .oneTimeCode && oneTime?.isLoading == true) }
  /// Whether nothing can be typed or pressed.
  public var isLocked: Bool { isLoading || isOver }
  /// The error of the last attempt, until the next one.
  public var failure: ScreenFailure? { step == .oneTimeCode ? oneTime?.failure : lastFailure }

  /// Whether the button is enabled.
  public var canSubmit: Bool {
    guard !isLocked else { return false }
    return switch step {
    case .password: fields.isValid
    case .oneTimeCode: oneTime?.canSubmit ?? false
    case .secondFactor: secondFactor.canSubmit
    }
  }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    let before = canSubmit
    let effects =
      switch event {
      case .appeared: appear(at: now)
      case .input(let input): isLocked ? [] : handle(input, at: now)
      case .answer(.loggedIn(let result)): finishLogin(result, at: now)
      case .answer(.codeRequested(let result)): sendToOneTime(.answer(.requested(result)), at: now)
      case .answer(.ticked): sendToOneTime(.answer(.ticked), at: now)
      }
    return (canSubmit == before ? [] : [.emit(.canSubmit(canSubmit))]) + effects
  }

  private mutating func handle(_ input: Input, at now: Duration) -> [Effect] {
    switch (step, input) {
    case (.password, .typed(let field, let text)):
      fields.type(text, into: field)
      if lastFailure?.field == field.text { lastFailure = nil }
    case (.password, .left(let field)): fields.leave(field)
    case (.password, .submit):
      fields.showMistakes()
      return fields.isValid ? submit() : []
    case (.oneTimeCode, .oneTime(let input)): return sendToOneTime(.input(input), at: now)
    case (.secondFactor, .code(let text)):
      // A complete code submits itself; a recovery code needs the button.
      return secondFactor.type(text) && secondFactor.isWhole ? submit() : []
    case (.secondFactor, .submit): return secondFactor.canSubmit ? submit() : []
    case (.secondFactor, .back):
      step = oneTime == nil ? .password : .oneTimeCode
      oneTime?.reopen()
      lastFailure = nil
      secondFactor.clear()
    case (.password, .leave(let exit)), (.oneTimeCode, .leave(let exit)):
      self.exit = exit
      return [.emit(.left(for: exit))]
    default: break  // An input of a step that is not shown.
    }
    return []
  }

  /// Begins with empty fields, each time the screen appears.
  private mutating func appear(at now: Duration) -> [Effect] {
    fields = LoginForm(email: email)
    step = oneTime == nil ? .password : .oneTimeCode
    (exit, lastFailure) = (nil, nil)
    secondFactor.clear()
    return sendToOneTime(.appeared, at: now)
  }

  // MARK: The one-time code

  /// Applies an event of the one-time code. Submitting the code is the login.
  private mutating func sendToOneTime(_ event: CodeFlow.Event, at now: Duration) -> [Effect] {
    (oneTime?.receive(event, at: now) ?? []).map { effect in
      switch effect {
      case .emit(let output): .emit(.oneTime(output))
      case .start(.request(let contact)): .start(.requestCode(contact))
      case .start(.verify(let code, let request)):
        .start(.logIn(Credentials(.oneTimeCode(code, request: request))))
      case .start(.tick(let deadline)): .start(.tick(at: deadline))
      }
    }
  }

  // MARK: Submitting

  private var proof: Credentials.Proof {
    oneTime?.code.map { .oneTimeCode($0.code, request: $0.ticket.request) } ?? fields.proof
  }

  private mutating func submit() -> [Effect] {
    isAsking = true
    lastFailure = nil
    let code = step == .secondFactor ? secondFactor.text : nil
    return [.emit(.loading(true)), .start(.logIn(Credentials(proof, code: code)))]
  }

  private mutating func finishLogin(
    _ result: Result<LoggedInPerson?, ScreenFailure>, at now: Duration
  ) -> [Effect] {
    guard step == .oneTimeCode else {
      isAsking = false
      return [.emit(.loading(false))] + applyLogin(result)
    }
    // The flow needs to know only that the code was right; `personalDataNeeded` stands for a missing second factor,
    // too. `applyLogin` chooses the next step.
    let effects = sendToOneTime(
      .answer(.verified(result.map { $0 == nil ? .personalDataNeeded : .done })), at: now)
    if case .failure = result { return effects }
    return effects + applyLogin(result)
  }

  private mutating func applyLogin(_ result: Result<LoggedInPerson?, ScreenFailure>) -> [Effect] {
    switch result {
    case .success(let person?):
      self.person = person
      return [.emit(.loggedIn(person))]
    case .success(nil):
      step = .secondFactor
      secondFactor.clear()
      return [.emit(.codeNeeded)]
    case .failure(let failure):
      lastFailure = failure
      if case .refused = failure { secondFactor.clear() }
      return [.emit(.failure(failure))]
    }
  }
}

extension LoginScreen {
  /// Runs the screen with an authenticator and a clock.
  public func driver(
    _ authenticator: Authenticator, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<LoginScreen> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .logIn(let credentials):
        .loggedIn(
          await Result(of: { () throws(ScreenFailure) in
            try await authenticator.logIn(credentials)
          }))
      case .requestCode(let contact):
        .codeRequested(
          await Result(of: { () throws(ScreenFailure) in
            try await authenticator.requestCode(for: contact)
          }))
      case .tick(let deadline):
        (try? await clock.sleep(until: deadline)) == nil ? nil : .ticked
      }
    }
  }
}
