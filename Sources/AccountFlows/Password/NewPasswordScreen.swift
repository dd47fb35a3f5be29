import Validation

/// The screen for a new password of an existing account, typed twice.
public struct NewPasswordScreen: ScreenModel {
  /// An action of the person.
  public enum Input: Sendable, ConcealedInput {
    /// The text of a field after a keystroke.
    case typed(FieldName, String)
    /// A field lost the focus.
    case left(FieldName)
    /// The button, or Enter.
    case submit
  }

  /// A notification for the front end.
  public enum Output: Sendable, Hashable {
    /// The button was enabled or disabled.
    case canSubmit(Bool)
    /// All controls are disabled, and progress is shown, while it is true.
    case loading(Bool)
    /// The passwords differ, or the request failed; the screen stays open.
    case failure(ScreenFailure)
    /// The password is set.
    case done
  }

  /// A request to the service.
  public enum Work: Sendable, Hashable {
    /// Sets the password.
    case set(TypedPassword)
  }

  /// The result of a `Work`.
  public enum Answer: Sendable {
    /// The password is set, or was refused or not sent.
    case set(Result<Void, ScreenFailure>)
  }

  /// The fields in display order.
  public static let fields: [FieldName] = [.password, .passwordAgain]

  private static let group: GroupName = "newPassword"
  private static let button: ControlName = "set"

  /// The two fields, and hidden ones with the person's name and address for the rules.
  public private(set) var form: Form
  public private(set) var isLoading = false
  /// Whether the password is set.
  public private(set) var isOver = false
  /// The error of the last attempt, until the next edit.
  public private(set) var failure: ScreenFailure?

  /// - Parameter rules: The controller's rules for passwords; it checks them again.
  public init(_ rules: RuleSet, for owner: NewPasswordOwner = NewPasswordOwner()) {
    var password = rules[.password]
    if owner.hasSecondFactor == nil {
      password.rules = password.rules.flatMap(\.leavingSecondFactorOpen)
    }
    // Hidden fields, for the rules that compare with them.
    let known: [FieldName: String?] = [.name: owner.name, .email: owner.email]
    let values = known.compactMapValues { $0 }
    form = Form(
      values.keys.map { FieldDeclaration($0, label: rules[$0].label) }
        + [password, rules[.passwordAgain]],
      groups: [FormGroup(Self.group, fields: Self.fields, controls: [Self.button])],
      values: values, hasSecondFactor: owner.hasSecondFactor ?? false)
  }

  /// Whether nothing can be typed or pressed.
  public var isLocked: Bool { isLoading || isOver }
  /// Whether the button is enabled.
  public var canSubmit: Bool { !isLocked && form.isEnabled(Self.button) }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    let before = canSubmit
    let effects =
      switch event {
      case .appeared: [Effect]()
      case .input(let input): isLocked ? [] : handle(input)
      case .answer(.set(let result)): finishRequest(result)
      }
    return (canSubmit == before ? [] : [.emit(.canSubmit(canSubmit))]) + effects
  }

  private mutating func handle(_ input: Input) -> [Effect] {
    switch input {
    case .typed(let field, let text):
      guard Self.fields.contains(field) else { return [] }
      failure = nil
      _ = form.send(.type(field, text))
      return []
    case .left(let field):
      _ = form.send(.leave(field))
      return []
    case .submit: return submit()
    }
  }

  private mutating func submit() -> [Effect] {
    if form.isMismatch { return refuse(.mismatch) }
    // Other mistakes are shown beside their field.
    _ = form.send(.submit(Self.group))
    guard canSubmit else { return [] }
    isLoading = true
    failure = nil
    return [.emit(.loading(true)), .start(.set(TypedPassword(form.text(.password))))]
  }

  private mutating func finishRequest(_ result: Result<Void, ScreenFailure>) -> [Effect] {
    isLoading = false
    switch result {
    case .success:
      isOver = true
      return [.emit(.loading(false)), .emit(.done)]
    case .failure(let failure): return [.emit(.loading(false))] + refuse(failure)
    }
  }

  /// Shows the error. A refused password is cleared; one that did not arrive may be correct.
  private mutating func refuse(_ failure: ScreenFailure) -> [Effect] {
    self.failure = failure
    if failure.field != nil { for field in Self.fields { _ = form.send(.reset(field)) } }
    return [.emit(.failure(failure))]
  }
}

extension ScreenFailure {
  /// Both fields are cleared.
  static let mismatch = malformed(
    field: FieldName.passwordAgain.text, message: "The two passwords differ. Type both again.")
}

extension Rule {
  /// The rule when it is unknown whether the account has a second factor: the shorter minimum holds,
  /// the longer one is advice.
  fileprivate var leavingSecondFactorOpen: [Rule] {
    guard case .minLength(let length, withSecondFactor: let reduced?) = check, !isAdvice else {
      return [self]
    }
    // A statement with a fixed length would be wrong for one of the two rules.
    let statement = statement.flatMap { $0.contains("{length}") ? $0 : nil }
    return [
      Rule(.minLength(reduced), statement: statement, message: message),
      Rule(.minLength(length), isAdvice: true, statement: statement, message: message),
    ]
  }
}
