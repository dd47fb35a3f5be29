import JSON

/// A mistake in a document of rules.
public struct RuleDocumentError: Error, Hashable, Sendable {
  /// The place in the document.
  public let path: JSONPath
  /// The mistake.
  public let message: String
  /// The next action.
  public let hint: String

  init(_ path: JSONPath = [], _ message: String, hint: String) {
    self.path = path
    self.message = message
    self.hint = hint
  }

  func below(_ outer: JSONPath) -> RuleDocumentError {
    RuleDocumentError(JSONPath(outer.elements + path.elements), message, hint: hint)
  }
}

extension Rule {
  /// `{"rule": "minLength", "length": 15, "statement": "at least …", "message": "Make the …"}`.
  /// Default texts are written out too, so that a reader needs no texts of its own.
  public var json: JSON {
    var object: JSONObject = ["rule": .string(check.name)]
    for (key, value) in check.arguments { object[key] = value }
    if isAdvice { object["advice"] = true }
    object["statement"] = .string(statement ?? check.statement)
    object["message"] = .string(message ?? check.message)
    return .object(object)
  }

  /// Reads a rule in the form of ``json``; `advice`, `statement` and `message` may be missing.
  public init(_ json: JSON) throws(RuleDocumentError) {
    var reader = try MemberReader(json, of: "a rule")
    let name = try reader.text("rule")
    check = try Check(name, &reader)
    isAdvice = try reader.optionalBool("advice") ?? false
    statement = try reader.optionalText("statement")
    if statement == check.statement { statement = nil }
    message = try reader.optionalText("message")
    if message == check.message { message = nil }
    try reader.finish()
  }
}

extension Check {
  /// The names of all kinds of rules.
  public static let names = [
    "notEmpty", "minLength", "maxLength", "symbol", "upperCase", "digit", "pattern", "email",
    "phone", "notInBlocklist", "noPersonalWords", "equals", "asked",
  ]

  /// The lengths that a rule may require, in code points.
  public static let lengths = 1...4_096

  fileprivate var arguments: JSONObject {
    switch self {
    case .minLength(let length, let reduced):
      var object: JSONObject = ["length": .integer(length)]
      if let reduced { object["withSecondFactor"] = .integer(reduced) }
      return object
    case .maxLength(let length): return ["length": .integer(length)]
    case .pattern(let pattern): return ["pattern": .string(pattern.source)]
    case .noPersonalWords(let fields): return ["fields": .array(fields.map { .string($0.text) })]
    case .equals(let field): return ["field": .string(field.text)]
    case .asked(let question): return ["question": .string(question)]
    case .notEmpty, .symbol, .upperCase, .digit, .email, .phone, .notInBlocklist: return [:]
    }
  }

  fileprivate init(_ name: String, _ reader: inout MemberReader) throws(RuleDocumentError) {
    switch name {
    case "notEmpty": self = .notEmpty
    case "minLength":
      self = .minLength(
        try reader.length("length"), withSecondFactor: try reader.optionalLength("withSecondFactor")
      )
    case "maxLength": self = .maxLength(try reader.length("length"))
    case "symbol": self = .symbol
    case "upperCase": self = .upperCase
    case "digit": self = .digit
    case "pattern":
      let source = try reader.text("pattern")
      do throws(PatternError) {
        self = .pattern(try Pattern(source))
      } catch {
        throw RuleDocumentError([.key("pattern")], error.message, hint: error.hint)
      }
    case "email": self = .email
    case "phone": self = .phone
    case "notInBlocklist": self = .notInBlocklist
    case "noPersonalWords": self = .noPersonalWords(try reader.names("fields"))
    case "equals": self = .equals(FieldName(try reader.text("field")))
    case "asked": self = .asked(try reader.text("question"))
    default:
      throw RuleDocumentError(
        [.key("rule")], "There is no rule \"\(name.quotation)\".",
        hint: "There are \(Self.names.joined(separator: ", ")).")
    }
  }
}
