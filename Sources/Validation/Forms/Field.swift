/// A field of a form: its declaration, its value and the report of its rules. Only its `Form` changes
/// it. Descriptions and dumps leave the value out.
public struct Field: Sendable, CustomStringConvertible, CustomReflectable {
  /// The declaration by which the value is checked.
  public let declaration: FieldDeclaration
  /// The value as text, as typed.
  public internal(set) var text: String
  /// The result of its rules for the present value.
  public internal(set) var report: RuleReport
  /// Whether the person has edited the field since it was reset.
  var isTouched = false
  /// Whether a mistake is shown: the field was left or submitted, and not corrected since.
  var isRevealed = false

  init(_ declaration: FieldDeclaration, text: String = "") {
    self.declaration = declaration
    self.text = text
    report = RuleReport(text, rules: [], field: declaration.label)
  }

  /// The name, unique in its form.
  public var name: FieldName { declaration.name }

  /// Whether its value may be submitted (B1).
  public var isValid: Bool {
    switch report.state {
    case .empty: !declaration.isRequired
    case .invalid: false
    case .valid: true
    }
  }

  /// The state to display (B6).
  public var display: FieldDisplay {
    if !isTouched, !isRevealed { return .pristine }
    if isValid { return .valid }
    if report.isPending { return .editing }
    if isRevealed { return .invalidShown }
    return report.state == .empty ? .editing : .invalidHidden
  }

  /// The instruction for an invalid field; nil for a valid one and for a declaration without a
  /// message. Shown only while `display` is `invalidShown`.
  public var message: String? {
    guard !isValid, !report.isPending else { return nil }
    switch declaration.message {
    case .none: return nil
    case .text(let text): return Rule(.notEmpty, message: text).message(field: declaration.label)
    case .ofRules:
      let missing =
        report.state == .empty && declaration.kind == .text ? Rule(.notEmpty) : nil
      return missing?.message(field: declaration.label) ?? report.firstMessage
    }
  }

  public var description: String { "Field(\(name), \(display))" }
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name.text, "display": display])
  }
}

/// The display state of a field (B6).
public enum FieldDisplay: String, Hashable, Sendable, CaseIterable {
  /// Not edited yet.
  case pristine
  /// Being edited: empty again, or waiting for an asynchronous rule.
  case editing
  case valid
  /// Invalid, but the person is still editing it.
  case invalidHidden
  /// Invalid, and marked: after it was left, or on submit.
  case invalidShown
}
