import JSON
import Validation

/// Reads the options schema of a manifest, a subset of JSON Schema.
///
/// Known keywords: `type`, `enum`, `minimum`, `maximum`, `minLength`, `maxLength`, `pattern`, `required`,
/// `properties`, `items`, `default`, `title`, `description`, `format: "path"` and `additionalProperties: false`
/// (always true). Any other keyword is refused, because it would promise a check that does not happen.
package enum OptionSchema {
  /// Returns the valid values of the options.
  ///
  /// - Throws: The first mistake in the schema, with its path.
  package static func shape(_ schema: JSON) throws(OptionSchemaError) -> SchemaNode {
    let shape = try read(schema, at: [])
    guard case .object = shape else {
      throw OptionSchemaError([.key("type")], "the options of a device are an \"object\"")
    }
    return shape
  }

  /// The reference to a secret: `{"secret": "name"}`.
  package static let secret = SchemaNode.named(
    "secret",
    .object(
      ObjectSchema(
        "a secret such as {\"secret\": \"radio-password\"}",
        fields: [
          .init(
            "secret", .text(TextSchema(rule: .secretName, what: "the name of a secret")),
            isRequired: true,
            help: "The name of a file in the credentials or secrets folder; it holds the text.")
        ])))

  private static let keywords: Set<String> = [
    "type", "enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "required",
    "properties", "items", "default", "title", "description", "format", "additionalProperties",
  ]

  private static func read(_ schema: JSON, at path: JSONPath) throws(OptionSchemaError)
    -> SchemaNode
  {
    guard let object = schema.object else {
      throw OptionSchemaError(path, "expected a schema, found \(schema.kind)")
    }
    for key in object.keys where !keywords.contains(key) {
      let known = keywords.sorted().joined(separator: ", ")
      throw OptionSchemaError(path.appending(key), "the keyword \"\(key)\" is not among \(known)")
    }
    let shape = try constrained(object, at: path)
    if let standard = object["default"], let wrong = shape.problems(with: standard).first {
      throw OptionSchemaError(path.appending("default"), wrong.message)
    }
    return shape
  }

  private static func constrained(_ object: JSONObject, at path: JSONPath)
    throws(OptionSchemaError) -> SchemaNode
  {
    if let values = object["enum"] {
      guard let values = values.array, !values.isEmpty else {
        throw OptionSchemaError(path.appending("enum"), "expected a list of values")
      }
      return .constants(values)
    }
    let names: [JSON]
    switch object["type"] {
    case .string(let name)?: names = [.string(name)]
    case .array(let list)? where !list.isEmpty: names = list
    default: throw OptionSchemaError(path, "expected \"type\" or \"enum\"")
    }
    var shapes: [SchemaNode] = []
    for name in names {
      let typed = try typed(name, object, at: path)
      shapes.append(typed)
      // A secret may replace any text.
      if case .text = typed { shapes.append(secret) }
    }
    return shapes.count == 1 ? shapes[0] : .either(shapes)
  }

  private static func typed(_ name: JSON, _ object: JSONObject, at path: JSONPath)
    throws(OptionSchemaError) -> SchemaNode
  {
    switch name {
    case "null": return .null
    case "boolean": return .boolean
    case "integer", "number":
      return .number(
        NumberSchema(
          isWhole: name == "integer", minimum: try number("minimum", object, path),
          maximum: try number("maximum", object, path)))
    case "string": return .text(try text(object, at: path))
    case "array":
      guard let items = object["items"] else {
        throw OptionSchemaError(path, "an array needs \"items\"")
      }
      return .list(try read(items, at: path.appending("items")))
    case "object": return .object(try members(object, at: path))
    default:
      throw OptionSchemaError(
        path.appending("type"),
        "expected string, integer, number, boolean, null, array or object, found \(name)")
    }
  }

  private static func number(_ key: String, _ object: JSONObject, _ path: JSONPath)
    throws(OptionSchemaError) -> Double?
  {
    guard let value = object[key] else { return nil }
    guard let number = value.number else {
      throw OptionSchemaError(path.appending(key), "expected a number, found \(value.kind)")
    }
    return number
  }

  private static func text(_ object: JSONObject, at path: JSONPath) throws(OptionSchemaError)
    -> TextSchema
  {
    var shape = TextSchema(
      shortest: try length("minLength", object, path) ?? 0,
      longest: try length("maxLength", object, path))
    if let pattern = object["pattern"] {
      guard let source = pattern.string else {
        throw OptionSchemaError(path.appending("pattern"), "expected text, found \(pattern.kind)")
      }
      do throws(PatternError) {
        shape.rule = .pattern(try Pattern(schema: source))
      } catch {
        throw OptionSchemaError(path.appending("pattern"), "\(error.message) \(error.hint)")
      }
    }
    if let format = object["format"] {
      guard format == "path" else {
        throw OptionSchemaError(path.appending("format"), "the only format is \"path\"")
      }
      shape.isPath = true
      shape.what = "a path"
    }
    return shape
  }

  private static func length(_ key: String, _ object: JSONObject, _ path: JSONPath)
    throws(OptionSchemaError) -> Int?
  {
    guard let value = object[key] else { return nil }
    guard let length = value.integer, length >= 0 else {
      throw OptionSchemaError(path.appending(key), "expected a whole number from 0")
    }
    return length
  }

  private static func members(_ object: JSONObject, at path: JSONPath) throws(OptionSchemaError)
    -> ObjectSchema
  {
    guard object["additionalProperties"] ?? false == false else {
      throw OptionSchemaError(
        path.appending("additionalProperties"), "every option must be named in \"properties\"")
    }
    let required = (object["required"]?.array ?? []).compactMap(\.string)
    let properties = object["properties"]?.object ?? [:]
    if let stray = required.first(where: { properties[$0] == nil }) {
      throw OptionSchemaError(
        path.appending("required"), "\"\(stray)\" is not among the properties")
    }
    var fields: [ObjectSchema.Field] = []
    for (name, schema) in properties {
      let place = path.appending("properties").appending(name)
      guard name != "secret" else {
        throw OptionSchemaError(place, "an option cannot be called \"secret\"")
      }
      let shape = try read(schema, at: place)
      let help = schema["description"]?.string ?? schema["title"]?.string
      fields.append(
        .init(
          name, shape, isRequired: required.contains(name), standard: schema["default"],
          help: help))
    }
    return ObjectSchema("an object of options", fields: fields)
  }
}

/// A mistake in an options schema.
package struct OptionSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path from the root of the schema to the mistake.
  package let path: JSONPath
  /// The mistake, for the plugin's author.
  package let message: String

  init(_ path: JSONPath, _ message: String) {
    self.path = path
    self.message = message
  }

  package var description: String { "\(path): \(message)" }
}
