import Validation

/// The field that takes a code of digits, as a form of its own; where it may be, also what is accepted
/// in the code's place and has no such form, a recovery code.
struct CodeEntry: Sendable {
  static let field: FieldName = "code"
  private static let group: GroupName = "code"
  private static let submit: ControlName = "submit"

  private(set) var form: Form
  private let takesRecoveryCode: Bool

  /// - Parameter length: How many digits a whole code has.
  init(length: Int, orRecoveryCode takesRecoveryCode: Bool = false) {
    self.takesRecoveryCode = takesRecoveryCode
    // Other alphabets have digits too, which no code is made of.
    let digits = (try? Pattern("[0-9]+")).map { [Rule(.pattern($0), message: "Type digits only.")] }
    form = Form(
      [
        FieldDeclaration(
          Self.field, label: "code",
          rules: [Rule(.minLength(length)), Rule(.maxLength(length))] + (digits ?? []))
      ],
      groups: [FormGroup(Self.group, fields: [Self.field], controls: [Self.submit])])
  }

  /// The field of a second factor: the code of an app (RFC 6238, as every app makes them) or a
  /// recovery code.
  static let secondFactor = CodeEntry(CodeTicket.secondFactor)

  init(_ ticket: CodeTicket) {
    self.init(length: ticket.length, orRecoveryCode: ticket.takesRecoveryCode)
  }

  /// What the field holds.
  var text: String { form.text(Self.field) }
  /// Whether it is a whole code, which submits itself.
  var isWhole: Bool { form.isEnabled(Self.submit) }
  /// Whether it can be handed in.
  var canSubmit: Bool { isWhole || takesRecoveryCode && !text.isEmpty }

  /// Takes what the field holds now; people paste codes with spaces in them.
  /// - Returns: Whether that is something else than before.
  mutating func type(_ typed: String) -> Bool {
    let code = typed.filter { !$0.isWhitespace }
    guard code != text else { return false }
    _ = form.send(.type(Self.field, code))
    return true
  }

  mutating func clear() { _ = form.send(.reset(Self.field)) }
}
