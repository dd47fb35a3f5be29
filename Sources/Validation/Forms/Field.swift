/// A field of a form: its declaration, what is typed, and what rules say about it.
///
/// Only its `Form` changes it. What is typed does not show in descriptions and dumps.
package struct Field: Sendable, CustomStringConvertible, CustomReflectable {
  package let declaration: FieldDeclaration
  /// What is typed.
  package internal(set) var text: String
  package internal(set) var report: RuleReport
  /// Whether the person has typed since the field began.
  var isTouched = false
  /// Whether a mistake in it may be shown: it was left or submitted, and has not been right since.
  var isRevealed = false

  init(_ declaration: FieldDeclaration, text: String = "") {
    self.declaration = declaration
    self.text = text
    report = RuleReport(text, rules: [], field: declaration.label)
  }

  package var name: FieldName { declaration.name }

  /// Whether its text may be taken (B1).
  package var isValid: Bool {
    switch report.state {
    case .empty: !declaration.isRequired
    case .invalid: false
    case .valid: true
    }
  }

  /// What the field looks like (B6).
  package var display: FieldDisplay {
    if !isTouched, !isRevealed { return .pristine }
    if isValid { return .valid }
    if report.isPending { return .editing }
    if isRevealed { return .invalidShown }
    return report.state == .empty ? .editing : .invalidHidden
  }

  /// What to do, in words; nil where nothing is wrong, or where there is no place for words.
  /// Shown only while `display` is `invalidShown`.
  package var message: String? {
    guard !isValid, !report.isPending else { return nil }
    switch declaration.message {
    case .none: return nil
    case .text(let text): return Rule(.notEmpty, message: text).message(field: declaration.label)
    case .ofRules:
      let asksForText = report.state == .empty ? Rule(.notEmpty) : nil
      return asksForText?.message(field: declaration.label) ?? report.firstMessage
    }
  }

  package var description: String { "Field(\(name), \(display))" }
  package var customMirror: Mirror {
    Mirror(self, children: ["name": name.text, "display": display])
  }
}

/// What a field looks like to the person who fills it in (B6).
package enum FieldDisplay: String, Hashable, Sendable, CaseIterable {
  /// Nobody has typed into it.
  case pristine
  /// Being filled in: empty again, or waiting for an answer from elsewhere.
  case editing
  case valid
  /// Wrong, but the person is not done with it.
  case invalidHidden
  /// Wrong, and said so: after it was left, or on submit.
  case invalidShown
}
