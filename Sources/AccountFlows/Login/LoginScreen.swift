import Validation

/// The login screen: a proof of who it is, with a button that follows the rules, and the code of the
/// second factor where the account has one.
///
/// The proof is an address with its password, or a code that is sent to an address or a number (E4);
/// whichever it is, the steps around it are the same.
package struct LoginScreen: ScreenModel {
  package enum Input: Sendable {
    /// What a field holds after a keystroke.
    case typed(FieldName, String)
    /// The person goes on to another field.
    case left(FieldName)
    /// The button, or Enter.
    case submit
    /// What happens to the one-time code.
    case oneTime(CodeFlow.Input)
    /// What the field of the second factor holds.
    case code(String)
    /// From the second factor back to the proof.
    case back
  }

  package enum Output: Sendable, Hashable {
    /// The button changed.
    case canSubmit(Bool)
    /// All controls are disabled, and progress is shown, while it is true.
    case loading(Bool)
    case failure(ScreenFailure)
    /// What the one-time code tells.
    case oneTime(CodeFlow.Output)
    /// Progress goes on with the code of the second factor.
    case codeNeeded
    /// The main screen opens.
    case loggedIn(LoggedIn)
  }

  package enum Work: Sendable, Hashable {
    case logIn(Credentials)
    case requestCode(String)
    case tick(at: Duration)
  }

  package enum Answer: Sendable {
    case loggedIn(Result<LoggedIn?, ScreenFailure>)
    case codeRequested(Result<CodeTicket, ScreenFailure>)
    case ticked
  }

  package enum Step: Sendable, Hashable {
    case password, oneTimeCode, secondFactor
  }

  package private(set) var step: Step
  package private(set) var person: LoggedIn?
  /// The one-time code; nil where a password proves who it is.
  package private(set) var oneTime: CodeFlow?
  private var fields: LoginForm
  private var isAsking = false
  private var lastFailure: ScreenFailure?
  private var secondFactor = CodeEntry.secondFactor

  /// Logging in with a password.
  /// - Parameter email: What the address begins with.
  package init(email: String = "") {
    fields = LoginForm(email: email)
    step = .password
  }

  /// Logging in with a code that is sent.
  package init(byCode flow: CodeFlow) {
    fields = LoginForm()
    oneTime = flow
    step = .oneTimeCode
  }

  package var form: Form { fields.form }
  /// What the field of the second factor holds.
  package var code: String { secondFactor.text }
  package var isOver: Bool { person != nil }
  /// Whether something is asked.
  package var isLoading: Bool { isAsking || (step == .oneTimeCode && oneTime?.isLoading == true) }
  /// Whether nothing can be typed or pressed.
  package var isLocked: Bool { isLoading || isOver }
  /// The error of the last try, until the next one.
  package var failure: ScreenFailure? { step == .oneTimeCode ? oneTime?.failure : lastFailure }

  /// Whether the button is enabled.
  package var canSubmit: Bool {
    guard !isLocked else { return false }
    return switch step {
    case .password: fields.isValid
    case .oneTimeCode: oneTime?.canSubmit ?? false
    case .secondFactor: secondFactor.canSubmit
    }
  }

  package mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    let before = canSubmit
    let effects =
      switch event {
      case .appeared: toOneTime(.appeared, at: now)
      case .input(let input): isLocked ? [] : take(input, at: now)
      case .answer(.loggedIn(let result)): answered(result, at: now)
      case .answer(.codeRequested(let result)): toOneTime(.answer(.requested(result)), at: now)
      case .answer(.ticked): toOneTime(.answer(.ticked), at: now)
      }
    return (canSubmit == before ? [] : [.tell(.canSubmit(canSubmit))]) + effects
  }

  private mutating func take(_ input: Input, at now: Duration) -> [Effect] {
    switch (step, input) {
    case (.password, .typed(let field, let text)): fields.type(text, into: field)
    case (.password, .left(let field)): fields.leave(field)
    case (.password, .submit):
      fields.reveal()
      return fields.isValid ? submit() : []
    case (.oneTimeCode, .oneTime(let input)): return toOneTime(.input(input), at: now)
    case (.secondFactor, .code(let text)):
      // A whole code submits itself; what else is accepted in its place waits for the button.
      return secondFactor.type(text) && secondFactor.isWhole ? submit() : []
    case (.secondFactor, .submit): return secondFactor.canSubmit ? submit() : []
    case (.secondFactor, .back):
      step = oneTime == nil ? .password : .oneTimeCode
      oneTime?.reopen()
      lastFailure = nil
      secondFactor.clear()
    default: break  // Of the step that is not shown.
    }
    return []
  }

  // MARK: The one-time code

  /// Its submission is a login.
  private mutating func toOneTime(_ event: CodeFlow.Event, at now: Duration) -> [Effect] {
    (oneTime?.receive(event, at: now) ?? []).map { effect in
      switch effect {
      case .tell(let output): .tell(.oneTime(output))
      case .start(.request(let contact)): .start(.requestCode(contact))
      case .start(.verify(let code, let request)):
        .start(.logIn(Credentials(.oneTimeCode(code, request: request))))
      case .start(.tick(let deadline)): .start(.tick(at: deadline))
      }
    }
  }

  // MARK: Asking

  private var proof: Credentials.Proof {
    oneTime?.code.map { .oneTimeCode($0.code, request: $0.ticket.request) } ?? fields.proof
  }

  private mutating func submit() -> [Effect] {
    isAsking = true
    lastFailure = nil
    let code = step == .secondFactor ? secondFactor.text : nil
    return [.tell(.loading(true)), .start(.logIn(Credentials(proof, code: code)))]
  }

  private mutating func answered(
    _ result: Result<LoggedIn?, ScreenFailure>, at now: Duration
  ) -> [Effect] {
    guard step == .oneTimeCode else {
      isAsking = false
      return [.tell(.loading(false))] + goOn(result)
    }
    // That the code is right, or not, is the flow's matter; what follows from it is the login's.
    let told = toOneTime(
      .answer(.verified(result.map { $0 == nil ? .personalDataNeeded : .done })), at: now)
    if case .failure = result { return told }
    return told + goOn(result)
  }

  private mutating func goOn(_ result: Result<LoggedIn?, ScreenFailure>) -> [Effect] {
    switch result {
    case .success(let person?):
      self.person = person
      return [.tell(.loggedIn(person))]
    case .success(nil):
      step = .secondFactor
      secondFactor.clear()
      return [.tell(.codeNeeded)]
    case .failure(let failure):
      lastFailure = failure
      if case .refused = failure { secondFactor.clear() }
      return [.tell(.failure(failure))]
    }
  }
}
