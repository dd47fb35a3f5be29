extension Rule {
  /// Returns the requirement, which is shown whether or not the rule is kept: "at least 15
  /// characters". (C4)
  public func statement(
    field label: String, in context: RuleContext = RuleContext()
  ) -> String {
    filled(statement ?? check.statement, field: label, in: context)
  }

  /// Returns the instruction for a broken rule, with the field's name: "Make the password at least
  /// 15 characters long." (C4)
  public func message(
    field label: String, in context: RuleContext = RuleContext()
  ) -> String {
    filled(message ?? check.message, field: label, in: context)
  }

  private func filled(_ words: String, field label: String, in context: RuleContext) -> String {
    var text = words
    // The label is filled in last: a person chose it, and it may look like a placeholder.
    if let length = check.length(in: context) { text.fill("{length}", with: "\(length)") }
    if let other = check.other {
      text.fill("{other}", with: context.labels[other] ?? other.text)
    }
    text.fill("{field}", with: label)
    return text
  }
}

extension Check {
  /// The requirement, for any field.
  public var statement: String {
    switch self {
    case .notEmpty: "not empty"
    case .minLength: "at least {length} characters"
    case .maxLength: "at most {length} characters"
    case .symbol: "a symbol, such as ! or ?"
    case .upperCase: "an upper-case letter"
    case .digit: "a digit"
    case .pattern: "in the form that is asked for"
    case .email: "an address like anna@example.org"
    case .phone: "a number with its country code, like +49 170 1234567"
    case .notInBlocklist: "not easily guessed"
    case .noPersonalWords: "without your name and address"
    case .equals: "the same as the {other}"
    case .asked: "not taken"
    }
  }

  /// The instruction for a broken rule, for any field.
  public var message: String {
    switch self {
    case .notEmpty: "Type the {field}."
    case .minLength: "Make the {field} at least {length} characters long."
    case .maxLength: "Shorten the {field} to at most {length} characters."
    case .symbol: "Put a symbol into the {field}, such as ! or ?."
    case .upperCase: "Put an upper-case letter into the {field}."
    case .digit: "Put a digit into the {field}."
    case .pattern: "Type the {field} in the form that is asked for."
    case .email: "Type the {field} like anna@example.org."
    case .phone: "Type the {field} with its country code, like +49 170 1234567."
    case .notInBlocklist: "Choose a less common {field}: this one is easily guessed."
    case .noPersonalWords: "Leave your name and address out of the {field}."
    case .equals: "Type the {field} the same as the {other}."
    case .asked: "Choose another {field}: this one cannot be taken."
    }
  }

  /// The length that the rule requires, in code points; nil for a check without a length.
  func length(in context: RuleContext) -> Int? {
    switch self {
    case .minLength(let length, let reduced):
      context.hasSecondFactor ? reduced ?? length : length
    case .maxLength(let length): length
    default: nil
    }
  }

  /// The field that `equals` compares with.
  var other: FieldName? { if case .equals(let other) = self { other } else { nil } }
}

extension String {
  /// Compares bytes: a combining mark after the brace must not hide the placeholder.
  fileprivate mutating func fill(_ placeholder: String, with text: String) {
    let parts = Array(utf8).split(
      separator: Array(placeholder.utf8), omittingEmptySubsequences: false)
    self = String(decoding: Array(parts.joined(separator: Array(text.utf8))), as: UTF8.self)
  }
}
