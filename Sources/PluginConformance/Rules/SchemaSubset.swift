import JSON

/// The subset of JSON Schema that a manifest may use for options (docs/plugin-protocol.md).
package enum SchemaSubset {
  private static let known: Set<String> = [
    "type", "enum", "minimum", "maximum", "pattern", "required", "properties", "items", "default",
    "title", "description", "format",
  ]

  /// Returns a message, with its path, for each keyword of `schema` outside the subset and each default that does
  /// not fit; none if the schema is valid.
  package static func problems(in schema: JSON, at path: JSONPath = []) -> [String] {
    guard let object = schema.object else { return ["\(path) is not an object"] }
    var problems = object.keys.filter { !known.contains($0) }
      .map { "\(path.appending($0)) is not in the subset" }
    if let fallback = object["default"] { problems += defaultProblems(fallback, schema, path) }
    for (name, property) in object["properties"]?.object ?? [:] {
      problems += Self.problems(in: property, at: path.appending(name))
    }
    if let items = object["items"] {
      problems += Self.problems(in: items, at: path.appending("items"))
    }
    for name in object["required"]?.array ?? []
    where object["properties"]?[name.string ?? ""] == nil {
      problems.append("\(path) requires \(name), which is no property")
    }
    return problems
  }

  /// Returns a message if the default `value` does not fit its schema.
  private static func defaultProblems(_ value: JSON, _ schema: JSON, _ path: JSONPath) -> [String] {
    let fits =
      switch schema["type"]?.string {
      case "object": value.object != nil
      case "array": value.array != nil
      case "string": value.string != nil
      case "boolean": value.bool != nil
      case "integer": value.integer != nil
      case "number": value.number != nil
      case nil: true
      default: false
      }
    let isInRange =
      value.number.map { number in
        number >= schema["minimum"]?.number ?? -.infinity
          && number <= schema["maximum"]?.number ?? .infinity
      } ?? true
    let isListed = schema["enum"]?.array?.contains(value) ?? true
    return fits && isInRange && isListed ? [] : ["\(path): the default \(value) does not fit"]
  }
}
