/// The declaration of a field, as data (B5).
public struct FieldDeclaration: Hashable, Sendable {
  /// The name, unique in its form.
  public var name: FieldName
  /// The kind of its value.
  public var kind: FieldKind
  /// Its name in sentences: "password".
  public var label: String
  /// Whether it must have a value; a required toggle must be on. Otherwise an empty field is valid.
  public var isRequired: Bool
  /// Whether its text is masked, unless the person asks to see it (C7).
  public var isSecret: Bool
  /// Whether an edit hides a mistake that is shown; otherwise it stays until it is corrected.
  public var hidesMistakeOnEdit: Bool
  /// The message beside the field while it is invalid.
  public var message: FieldMessage
  /// The rules, in the order in which they are shown.
  public var rules: [Rule]

  /// A declaration; the label is the name unless one is given.
  public init(
    _ name: FieldName, _ kind: FieldKind = .text, label: String? = nil, isRequired: Bool = true,
    isSecret: Bool = false, hidesMistakeOnEdit: Bool = false, message: FieldMessage = .ofRules,
    rules: [Rule] = []
  ) {
    self.name = name
    self.kind = kind
    self.label = label ?? name.text
    self.isRequired = isRequired
    self.isSecret = isSecret
    self.hidesMistakeOnEdit = hidesMistakeOnEdit
    self.message = message
    self.rules = rules
  }

  /// The same declaration for another field.
  public func copied(to name: FieldName, label: String? = nil) -> FieldDeclaration {
    var copy = self
    copy.name = name
    copy.label = label ?? name.text
    return copy
  }
}

/// The message beside an invalid field.
public enum FieldMessage: Hashable, Sendable {
  /// The message of the first broken rule.
  case ofRules
  /// This text; `{field}` stands for the label.
  case text(String)
  /// No message, for a field without a place to show one.
  case none
}

/// The kind of a field's value (B8). A form keeps every value as text; `Form.isOn` and
/// `Form.number` read toggles and numbers.
public enum FieldKind: Hashable, Sendable {
  case text
  /// One of these options.
  case choice([String])
  /// On or off, as `FormEvent.set(_:on:)` sends it.
  case toggle
  /// A decimal number in this range, such as `12.5`.
  case number(ClosedRange<Double>)

  /// The text of a toggle that is on; off is empty.
  public static let on = "true"

  /// The kind's own requirement, which comes before the rules; nil for a text.
  func result(for text: String, field label: String) -> RuleResult? {
    guard self != .text else { return nil }
    return RuleResult(
      rule: name, isAdvice: false,
      outcome: !text.isEmpty && accepts(text) ? .satisfied : .unsatisfied, statement: statement,
      message: message(label))
  }

  private func accepts(_ text: String) -> Bool {
    switch self {
    case .text: true
    case .choice(let options): options.contains(text)
    case .toggle: text == Self.on
    // `Double` alone would accept "nan" and "0x10".
    case .number(let range):
      text.utf8.allSatisfy("0123456789.-".utf8.contains)
        && Double(text).map(range.contains) ?? false
    }
  }

  private var name: String {
    switch self {
    case .text: "text"
    case .choice: "choice"
    case .toggle: "toggle"
    case .number: "number"
    }
  }

  private var statement: String {
    switch self {
    case .text: ""
    case .choice(let options): "one of \(options.joined(separator: ", "))"
    case .toggle: "switched on"
    case .number(let range):
      "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    }
  }

  /// `730` and `12.5`.
  private static func text(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  private func message(_ label: String) -> String {
    switch self {
    case .text: ""
    case .choice(let options): "Choose the \(label): \(options.joined(separator: ", "))."
    case .toggle: "Switch \(label) on."
    case .number: "Give the \(label) as \(statement)."
    }
  }
}
