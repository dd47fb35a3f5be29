/// The name of a field in a form: `email`, `passwordAgain`.
public struct FieldName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name itself.
  public let text: String

  public init(_ text: String) { self.text = text }
  public init(stringLiteral value: String) { text = value }
  public var description: String { text }
}

/// A requirement for a text (C6); `docs/validation.md` defines each exactly.
public enum Check: Hashable, Sendable {
  /// Some character is visible by itself.
  case notEmpty
  /// The least number of code points; with a second factor another one.
  case minLength(Int, withSecondFactor: Int? = nil)
  /// The greatest number of code points.
  case maxLength(Int)
  case symbol
  case upperCase
  case digit
  /// The whole text matches.
  case pattern(Pattern)
  case email
  case phone
  /// It is not a common password.
  case notInBlocklist
  /// It contains no word of these fields.
  case noPersonalWords([FieldName])
  /// It equals this field; does not apply when the form has no such field.
  case equals(FieldName)
  /// A service answers asynchronously: "is this address free?" (C8).
  case asked(String)

  /// Its word in JSON and reports.
  public var name: String {
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
public struct Rule: Hashable, Sendable {
  /// The requirement.
  public var check: Check
  /// Whether the rule is advice, which is shown but does not block.
  public var isAdvice: Bool
  /// The requirement, in place of the check's default: "at most {length} characters". The same
  /// placeholders are filled in as in `message`.
  public var statement: String?
  /// The instruction for a broken rule, in place of the check's default. `{field}` stands for the
  /// field's label, `{other}` for the other field's, `{length}` for the required length.
  public var message: String?

  /// A rule with its own words where `statement` or `message` is given.
  public init(
    _ check: Check, isAdvice: Bool = false, statement: String? = nil, message: String? = nil
  ) {
    self.check = check
    self.isAdvice = isAdvice
    self.statement = statement
    self.message = message
  }

  /// The most rules that a configuration may give to one field.
  public static let mostOfField = 50

  /// The same rule as advice.
  public var asAdvice: Rule {
    Rule(check, isAdvice: true, statement: statement, message: message)
  }
}

/// The context of a rule: other fields and the account.
public struct RuleContext: Sendable {
  /// The texts of the form's fields, as typed.
  public var values: [FieldName: String]
  /// The fields' names in sentences.
  public var labels: [FieldName: String]
  /// Whether the account has a second factor.
  public var hasSecondFactor: Bool

  /// The context of a form's fields; by default of a text alone.
  public init(
    values: [FieldName: String] = [:], labels: [FieldName: String] = [:],
    hasSecondFactor: Bool = false
  ) {
    self.values = values
    self.labels = labels
    self.hasSecondFactor = hasSecondFactor
  }
}
