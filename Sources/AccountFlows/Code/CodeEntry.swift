import Validation

/// The field for a code of digits; optionally also for a recovery code, which has another form.
struct CodeEntry: Sendable {
  static let field: FieldName = "code"
  private static let group: GroupName = "code"
  private static let submit: ControlName = "submit"

  private(set) var form: Form
  private let takesRecoveryCode: Bool

  /// - Parameter length: The number of digits.
  init(length: Int, orRecoveryCode takesRecoveryCode: Bool = false) {
    self.takesRecoveryCode = takesRecoveryCode
    // Only ASCII digits: `isNumber` would accept those of other scripts.
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

  /// The text of the field.
  var text: String { form.text(Self.field) }
  /// Whether the text is a complete code of digits.
  var isWhole: Bool { form.isEnabled(Self.submit) }
  /// Whether the text can be submitted.
  var canSubmit: Bool { isWhole || takesRecoveryCode && !text.isEmpty }

  /// Sets the text without its spaces, because pasted codes often have some.
  /// - Returns: Whether the text has changed.
  mutating func type(_ typed: String) -> Bool {
    let code = typed.filter { !$0.isWhitespace }
    guard code != text else { return false }
    _ = form.send(.type(Self.field, code))
    return true
  }

  mutating func clear() { _ = form.send(.reset(Self.field)) }
}
