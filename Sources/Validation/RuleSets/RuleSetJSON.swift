import JSON

extension FieldDeclaration {
  /// `{"name": "password", "label": "password", "required": true, "secret": true, "rules": […]}`;
  /// `"message"` is a text, or `false` where nothing is shown, or missing for the rules' words.
  public var json: JSON {
    var object: JSONObject = [
      "name": .string(name.text), "label": .string(label), "required": .bool(isRequired),
      "secret": .bool(isSecret),
    ]
    switch message {
    case .ofRules: break
    case .text(let text): object["message"] = .string(text)
    case .none: object["message"] = false
    }
    object["rules"] = .array(rules.map(\.json))
    return .object(object)
  }

  /// Reads the same form; `required` is true and `secret` false unless said otherwise.
  public init(_ json: JSON) throws(RuleDocumentError) {
    var reader = try MemberReader(json, of: "a field")
    let name = FieldName(try reader.text("name"))
    self.init(name, label: try reader.optionalText("label"))
    isRequired = try reader.optionalBool("required") ?? true
    isSecret = try reader.optionalBool("secret") ?? false
    message = try FieldMessage(reader.optional("message"))
    rules = try Rule.list(reader.member("rules"), at: [.key("rules")])
    try reader.finish()
  }
}

extension FieldMessage {
  /// Reads the value of `"message"`.
  public init(_ json: JSON?) throws(RuleDocumentError) {
    switch json {
    case nil: self = .ofRules
    case .bool(false): self = .none
    case .string(let text) where !text.isEmpty: self = .text(text)
    default:
      throw RuleDocumentError(
        [.key("message")], "Expected a text or false.", hint: "Leave it out for the rules' words.")
    }
  }
}

extension Rule {
  /// Reads a list of rules that stands at `path`.
  public static func list(
    _ json: JSON, at path: JSONPath = []
  ) throws(RuleDocumentError) -> [Rule] {
    guard let elements = json.array else {
      throw RuleDocumentError(path, "Expected a list of rules.", hint: "Write [{\"rule\": …}].")
    }
    var rules: [Rule] = []
    for (index, element) in elements.enumerated() {
      do throws(RuleDocumentError) {
        rules.append(try Rule(element))
      } catch {
        throw error.below(path.appending(index))
      }
    }
    return rules
  }
}

extension RuleSet {
  /// The version of this JSON form and of the meaning of its rules. Readers must refuse other versions.
  public static let format = 1

  /// `{"name": "standard", "version": 1, "fields": […]}`.
  public var json: JSON {
    [
      "name": .string(name), "version": .integer(version), "fields": .array(fields.map(\.json)),
    ]
  }

  /// Reads the same form.
  public init(_ json: JSON) throws(RuleDocumentError) {
    var reader = try MemberReader(json, of: "a rule set")
    name = try reader.text("name")
    version = try reader.version("version")
    guard let elements = try reader.member("fields").array else {
      throw RuleDocumentError([.key("fields")], "Expected a list of fields.", hint: "Write […].")
    }
    fields = []
    for (index, element) in elements.enumerated() {
      do throws(RuleDocumentError) {
        fields.append(try FieldDeclaration(element))
      } catch {
        throw error.below([.key("fields"), .index(index)])
      }
    }
    try reader.finish()
  }
}
