import Platform
import Validation

/// A way to register.
public enum RegistrationWay: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// With the code of the controller's console or of an invitation: name, e-mail address, password.
  case byName(RegistrationCode)
  /// With the code of an invitation, and a one-time code to an address or number (D10).
  case byCode(CodeContact, invitation: String)

  /// Leaves the codes out.
  public var description: String { "RegistrationWay" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The first screen of a registration: the code that admits the person, and whether they begin with
/// a name or with a contact to verify.
public struct RegistrationStart: ScreenModel {
  /// An action of the person.
  public enum Input: Sendable, ConcealedInput {
    /// The text of a field after a keystroke, or the chosen option.
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
    /// The registration begins.
    case chosen(RegistrationWay)
  }

  /// The screen asks no service: the code is checked by the next screen.
  public typealias Work = Never
  /// No service answers.
  public typealias Answer = Never

  /// The field that chooses between an invitation and the setup code.
  public static let kind: FieldName = "codeKind"
  /// The field for the invitation or setup code.
  public static let code: FieldName = "registrationCode"
  /// The field that chooses how to begin; see `Beginning`.
  public static let beginning: FieldName = "beginning"

  /// The options of `kind`.
  public enum Kind: String, CaseIterable { case invitation, setupCode = "setup code" }
  /// The options of `beginning`.
  public enum Beginning: String, CaseIterable {
    case name, email = "e-mail address", phone = "phone number"
  }

  private static let group: GroupName = "registrationStart"
  private static let button: ControlName = "begin"

  /// The fields `code`, `kind` and `beginning`, also while `beginning` is not shown.
  public private(set) var form: Form
  /// The choice, which ends the screen.
  public private(set) var way: RegistrationWay?

  /// A screen with an empty code, set to an invitation and to begin with the name.
  public init() {
    form = Form(
      [
        FieldDeclaration(
          Self.code, label: "code", hidesMistakeOnEdit: true, rules: [Rule(.notEmpty)]),
        FieldDeclaration(
          Self.kind, .choice(Kind.allCases.map(\.rawValue)), label: "kind of code"),
        FieldDeclaration(
          Self.beginning, .choice(Beginning.allCases.map(\.rawValue)), label: "begin with"),
      ],
      groups: [
        FormGroup(
          Self.group, fields: [Self.code, Self.kind, Self.beginning], controls: [Self.button])
      ],
      values: [
        Self.kind: Kind.invitation.rawValue, Self.beginning: Beginning.name.rawValue,
      ])
  }

  /// The fields in display order. The first owner, who has the setup code, begins with the name.
  public var fields: [FieldName] {
    isInvitation ? [Self.code, Self.kind, Self.beginning] : [Self.code, Self.kind]
  }

  public var isLoading: Bool { false }
  /// Whether the person has chosen how to register.
  public var isOver: Bool { way != nil }
  /// Whether the button is enabled.
  public var canSubmit: Bool { !isOver && form.isEnabled(Self.button) }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    guard case .input(let input) = event, !isOver else { return [] }
    let before = canSubmit
    switch input {
    case .typed(let field, let text): _ = form.send(.type(field, text))
    case .left(let field): _ = form.send(.leave(field))
    case .submit:
      _ = form.send(.submit(Self.group))
      if canSubmit { way = chosen }
    }
    return (canSubmit == before ? [] : [.emit(.canSubmit(canSubmit))])
      + (way.map { [.emit(.chosen($0))] } ?? [])
  }

  /// The screen with what was typed, after a return from the screen that it led to.
  public var reopened: RegistrationStart {
    var screen = self
    screen.way = nil
    return screen
  }

  private var isInvitation: Bool { form.text(Self.kind) == Kind.invitation.rawValue }

  private var chosen: RegistrationWay {
    let code = form.text(Self.code)
    guard isInvitation else { return .byName(.setupCode(code)) }
    return switch Beginning(rawValue: form.text(Self.beginning)) {
    case .email: .byCode(.email, invitation: code)
    case .phone: .byCode(.phone, invitation: code)
    case .name, nil: .byName(.invitation(code))
    }
  }
}

extension RegistrationStart {
  /// Runs the screen, which asks no service.
  public func driver() -> ScreenDriver<RegistrationStart> {
    ScreenDriver(self, clock: SystemClock(), perform: Self.perform)
  }

  private static func perform(_ work: Work) async -> Answer? {}
}
