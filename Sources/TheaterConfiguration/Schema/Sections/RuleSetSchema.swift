import JSON
import Validation

/// The grammar of `"rules"` in the section `"accounts"`.
enum RuleSetSchemaNodes {
  static let rules = SchemaNode.object(
    ObjectSchema(
      "the rules",
      fields: [
        .init(
          "preset", .constants(RuleSet.presets.map { .string($0.name) }),
          standard: .string(RuleSet.standard.name), help: "The preset from which the rules start."),
        .init(
          "name", .text(ConfigurationSchemaNodes.name(of: "a rule set")),
          help: "The name of these rules; by default the preset's."),
        .init(
          "version", .number(NumberSchema(isWhole: true, minimum: 1, maximum: 1_000_000)),
          standard: 1, help: "The version of these rules; give a higher number after each change."),
        .init("fields", fields, help: "Fields that have other rules than the preset's."),
      ]))

  private static let fields = SchemaNode.object(
    ObjectSchema(
      "the fields",
      fields: FieldName.ofAccounts.map { .init($0.text, .named("fieldRules", field)) }))

  private static let field = SchemaNode.object(
    ObjectSchema(
      "a field",
      fields: [
        .init(
          "label", .text(TextSchema(shortest: 1, longest: 100, what: "a label")),
          help: "The field's name in sentences."),
        .init(
          "message", .either([message, .constants([false])]),
          help: "The message for a mistake, or false for none; by default the rule's message."
        ),
        .init("rules", .list(.named("rule", rule)), help: "Its rules, in place of the preset's."),
      ]))

  private static let message = SchemaNode.text(
    TextSchema(shortest: 1, longest: 500, what: "a message"))

  private static let question = SchemaNode.constants(
    AnsweredQuestion.allCases.map { .string($0.rawValue) })

  private static let length = SchemaNode.number(
    NumberSchema(
      isWhole: true, minimum: Double(Check.lengths.lowerBound),
      maximum: Double(Check.lengths.upperBound)))

  private static let name = SchemaNode.constants(FieldName.ofAccounts.map { .string($0.text) })

  private static let rule = SchemaNode.object(
    ObjectSchema(
      "a rule such as {\"rule\": \"minLength\", \"length\": 15}",
      fields: [
        .init(
          "rule", .constants(Check.names.map { .string($0) }), isRequired: true, help: "Its kind."),
        .init("length", length, help: "For minLength and maxLength: the number of characters."),
        .init(
          "withSecondFactor", length,
          help: "For minLength: the number for an account with a second factor."),
        .init(
          "pattern", .text(TextSchema(shortest: 1, longest: 500, what: "a pattern")),
          help: "For pattern: a regular expression for the whole text."),
        .init("field", name, help: "For equals: the field with the same value."),
        .init("question", question, help: "For asked: the question about the text."),
        .init(
          "fields", .list(name), help: "For noPersonalWords: the fields whose words are refused."),
        .init(
          "advice", .boolean, standard: false,
          help: "Whether the rule is shown but does not block."),
        .init(
          "statement", message,
          help: "The requirement, such as \"at most {length} characters\"."),
        .init(
          "message", message,
          help: "The instruction for a broken rule; {field}, {other} and {length} are filled in."),
      ],
      variants: [
        requirement("length", length, of: "minLength"),
        requirement("length", length, of: "maxLength"),
        requirement("pattern", .anything, of: "pattern"),
        requirement("field", .anything, of: "equals"),
        requirement("fields", .anything, of: "noPersonalWords"),
        requirement("question", question, of: "asked"),
      ]))

  private static func requirement(_ field: String, _ shape: SchemaNode, of kind: String)
    -> ObjectSchema.Variant
  {
    ObjectSchema.Variant(
      when: [.init("rule", is: .string(kind))], fields: [.init(field, shape, isRequired: true)])
  }
}
