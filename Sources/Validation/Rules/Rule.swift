/// The name of a field in a form: `email`, `passwordAgain`.
package struct FieldName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }
  package init(stringLiteral value: String) { text = value }
  package var description: String { text }
}

/// What a text must be like (C6). `docs/validation.md` says exactly what each looks at.
package enum Check: Hashable, Sendable {
  /// Something of it shows by itself.
  case notEmpty
  /// At least so many code points; with a second factor fewer may do.
  case minLength(Int, withSecondFactor: Int? = nil)
  /// At most so many code points.
  case maxLength(Int)
  case symbol
  case upperCase
  case digit
  /// The whole text is like this.
  case pattern(Pattern)
  case email
  case phone
  /// It is not what a guesser tries first.
  case notInBlocklist
  /// It holds no word of what these fields hold.
  case noPersonalWords([FieldName])
  /// It is the same as what this field holds; asks nothing where the form has no such field.
  case equals(FieldName)
  /// Somebody else answers, such as the server: "is this address free?" (C8).
  case asked(String)

  /// The word for it in documents and reports.
  package var name: String {
    switch self {
    case .notEmpty: "notEmpty"
    case .minLength: "minLength"
    case .maxLength: "maxLength"
    case .symbol: "symbol"
    case .upperCase: "upperCase"
    case .digit: "digit"
    case .pattern: "pattern"
    case .email: "email"
    case .phone: "phone"
    case .notInBlocklist: "notInBlocklist"
    case .noPersonalWords: "noPersonalWords"
    case .equals: "equals"
    case .asked: "asked"
    }
  }
}

/// One rule for the text of a field.
package struct Rule: Hashable, Sendable {
  package var check: Check
  /// Whether the rule is advice, which is shown but blocks no text.
  package var isAdvice: Bool
  /// The requirement, in place of the check's default: "at most {length} characters". The same
  /// placeholders are filled in as in `message`.
  package var statement: String?
  /// The instruction for a broken rule, in place of the check's default. `{field}` stands for the
  /// field's label, `{other}` for the other field's, `{length}` for the required length.
  package var message: String?

  package init(
    _ check: Check, isAdvice: Bool = false, statement: String? = nil, message: String? = nil
  ) {
    self.check = check
    self.isAdvice = isAdvice
    self.statement = statement
    self.message = message
  }

  /// The most rules that a configuration may give to one field.
  package static let mostOfField = 50

  /// The same rule as advice.
  package var asAdvice: Rule {
    Rule(check, isAdvice: true, statement: statement, message: message)
  }
}

/// What a rule may look at beside the text itself.
package struct RuleContext: Sendable {
  /// What the form's fields hold, as typed; a field that is not there is not in the form.
  package var values: [FieldName: String]
  /// What people call the fields.
  package var labels: [FieldName: String]
  /// Whether a second factor guards the account.
  package var hasSecondFactor: Bool

  package init(
    values: [FieldName: String] = [:], labels: [FieldName: String] = [:],
    hasSecondFactor: Bool = false
  ) {
    self.values = values
    self.labels = labels
    self.hasSecondFactor = hasSecondFactor
  }
}
