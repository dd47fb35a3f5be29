import Platform
import Validation

/// A way to register.
package enum RegistrationWay: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// With the code of the controller's console or of an invitation: name, e-mail address, password.
  case byName(RegistrationCode)
  /// With the code of an invitation, and a one-time code to an address or number (D10).
  case byCode(CodeContact, invitation: String)

  /// Leaves the codes out.
  package var description: String { "RegistrationWay" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The first screen of a registration: the code that admits the person, and whether they begin with
/// a name or with a contact to verify.
package struct RegistrationStart: ScreenModel {
  /// An action of the person.
  package enum Input: Sendable {
    /// The text of a field after a keystroke, or the chosen option.
    case typed(FieldName, String)
    /// A field lost the focus.
    case left(FieldName)
    /// The button, or Enter.
    case submit
  }

  /// A notification for the front end.
  package enum Output: Sendable, Hashable {
    /// The button was enabled or disabled.
    case canSubmit(Bool)
    /// The registration begins.
    case chosen(RegistrationWay)
  }

  /// The screen asks no service: the code is checked by the next screen.
  package typealias Work = Never
  /// No service answers.
  package typealias Answer = Never

  /// The field that chooses between an invitation and the setup code.
  package static let kind: FieldName = "codeKind"
  /// The field for the invitation or setup code.
  package static let code: FieldName = "registrationCode"
  /// The field that chooses how to begin; see `Beginning`.
  package static let beginning: FieldName = "beginning"

  /// The options of `kind`.
  package enum Kind: String, CaseIterable { case invitation, setupCode = "setup code" }
  /// The options of `beginning`.
  package enum Beginning: String, CaseIterable {
    case name, email = "e-mail address", phone = "phone number"
  }

  private static let group: GroupName = "registrationStart"
  private static let button: ControlName = "begin"

  /// The fields `code`, `kind` and `beginning`, also while `beginning` is not shown.
  package private(set) var form: Form
  /// The choice, which ends the screen.
  package private(set) var way: RegistrationWay?

  /// A screen with an empty code, set to an invitation and to begin with the name.
  package init() {
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
  package var fields: [FieldName] {
    isInvitation ? [Self.code, Self.kind, Self.beginning] : [Self.code, Self.kind]
  }

  package var isLoading: Bool { false }
  /// Whether the person has chosen how to register.
  package var isOver: Bool { way != nil }
  /// Whether the button is enabled.
  package var canSubmit: Bool { !isOver && form.isEnabled(Self.button) }

  package mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
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
  package var reopened: RegistrationStart {
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
  package func driver() -> ScreenDriver<RegistrationStart> {
    ScreenDriver(self, clock: SystemClock(), perform: Self.perform)
  }

  private static func perform(_ work: Work) async -> Answer? {}
}
