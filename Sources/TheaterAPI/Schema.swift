import JSON

/// A JSON Schema (draft 2020-12) for one value of the API.
public struct Schema: Sendable, Hashable {
  /// The schema as JSON.
  public private(set) var json: JSONObject

  /// Allows every value.
  public static let anything = Schema(json: [:])
  /// Allows only `null`.
  public static let null = Schema(json: ["type": "null"])
  /// Allows only `true` and `false`.
  public static let boolean = Schema(json: ["type": "boolean"])
  /// A time such as `2026-01-31T20:15:00Z` (RFC 3339, in UTC).
  public static let time = Schema(json: ["type": "string", "format": "date-time"])

  /// A text. Lengths count code points, as JSON Schema does.
  public static func text(_ length: ClosedRange<Int>? = nil, pattern: String? = nil) -> Schema {
    var json: JSONObject = ["type": "string"]
    if let length {
      if length.lowerBound > 0 { json["minLength"] = .integer(length.lowerBound) }
      json["maxLength"] = .integer(length.upperBound)
    }
    if let pattern { json["pattern"] = .string(pattern) }
    return Schema(json: json)
  }

  /// One of these texts.
  public static func words(_ words: [String]) -> Schema {
    Schema(json: ["type": "string", "enum": .array(words.map { .string($0) })])
  }

  /// The words of a list that the program itself reads.
  public static func words<Word: CaseIterable & RawRepresentable<String>>(
    of type: Word.Type
  ) -> Schema {
    .words(type.allCases.map(\.rawValue))
  }

  /// A whole number in this range.
  public static func integer(_ range: ClosedRange<Int>) -> Schema {
    Schema(
      json: [
        "type": "integer", "minimum": .integer(range.lowerBound),
        "maximum": .integer(range.upperBound),
      ])
  }

  /// A whole number of 0 or more: a count, a size in bytes, a number of seconds.
  public static let count = Schema(json: ["type": "integer", "minimum": 0])

  /// A number in this range.
  public static func number(_ range: ClosedRange<Double>) -> Schema {
    Schema(
      json: [
        "type": "number", "minimum": .number(range.lowerBound),
        "maximum": .number(range.upperBound),
      ])
  }

  /// A list.
  ///
  /// - Parameter count: The number of elements; any number without it.
  public static func list(of element: Schema, count: ClosedRange<Int>? = nil) -> Schema {
    var json: JSONObject = ["type": "array", "items": .object(element.json)]
    if let count {
      if count.lowerBound > 0 { json["minItems"] = .integer(count.lowerBound) }
      json["maxItems"] = .integer(count.upperBound)
    }
    return Schema(json: json)
  }

  /// An object with these members and no others.
  public static func object(_ required: Members = [:], optional: Members = [:]) -> Schema {
    let members = required.list + optional.list
    var json: JSONObject = ["type": "object"]
    if !members.isEmpty {
      json["properties"] = .object(JSONObject(members.map { ($0.name, .object($0.schema.json)) }))
    }
    if !required.list.isEmpty { json["required"] = .array(required.list.map { .string($0.name) }) }
    json["additionalProperties"] = false
    return Schema(json: json)
  }

  /// The body of a request: `null` counts as a missing member, so every optional one may be `null`.
  public static func request(_ required: Members = [:], optional: Members = [:]) -> Schema {
    object(required, optional: Members(optional.list.map { ($0.name, $0.schema.orNull) }))
  }

  /// The body of a request that has exactly one of `choices` beside its other members.
  public static func request(
    exactlyOneOf choices: Members, _ required: Members = [:], optional: Members = [:]
  ) -> Schema {
    oneOf(
      choices.list.map { choice in
        let others = choices.list.filter { $0.name != choice.name }.map { ($0.name, Schema.null) }
        return request(
          Members(required.list + [choice]), optional: Members(optional.list + others))
      })
  }

  /// An object whose member names are not known beforehand.
  ///
  /// - Parameter count: How many members it has.
  public static func map(to value: Schema, count: ClosedRange<Int>? = nil) -> Schema {
    var json: JSONObject = ["type": "object", "additionalProperties": .object(value.json)]
    if let count {
      if count.lowerBound > 0 { json["minProperties"] = .integer(count.lowerBound) }
      json["maxProperties"] = .integer(count.upperBound)
    }
    return Schema(json: json)
  }

  /// A value that fits at least one of these.
  public static func anyOf(_ schemas: [Schema]) -> Schema {
    Schema(json: ["anyOf": .array(schemas.map { .object($0.json) })])
  }

  /// A value that fits exactly one of these.
  public static func oneOf(_ schemas: [Schema]) -> Schema {
    Schema(json: ["oneOf": .array(schemas.map { .object($0.json) })])
  }

  /// The schema of a component of the document.
  public static func reference(_ component: Component) -> Schema {
    Schema(json: ["$ref": .string("#/components/schemas/\(component.name)")])
  }

  /// This schema of an object, limited to this number of members.
  func withMembers(_ count: ClosedRange<Int>) -> Schema {
    var schema = self
    schema.json["minProperties"] = .integer(count.lowerBound)
    schema.json["maxProperties"] = .integer(count.upperBound)
    return schema
  }

  /// This schema with a description for the document.
  public func described(_ text: String) -> Schema {
    var schema = self
    schema.json["description"] = .string(text)
    return schema
  }

  /// This schema or `null`.
  public var orNull: Schema {
    guard self != .null else { return self }
    guard let type = json["type"] else { return .anyOf([self, .null]) }
    var schema = self
    schema.json["type"] = [type, "null"]
    if let words = json["enum"]?.array { schema.json["enum"] = .array(words + [.null]) }
    return schema
  }

  /// The names of the members that an object may have; of all alternatives together.
  public var memberNames: [String] {
    let own = json["properties"]?.object?.keys ?? []
    let alternatives = (json["oneOf"]?.array ?? []) + (json["anyOf"]?.array ?? [])
    return alternatives.reduce(into: own) { names, alternative in
      for name in alternative["properties"]?.object?.keys ?? [] where !names.contains(name) {
        names.append(name)
      }
    }
  }

  /// Returns the schema of a member of an object; `nil` without one. Of several alternatives, the first counts that
  /// has the member and does not demand `null` for it.
  public func member(_ name: String) -> JSON? {
    if let member = json["properties"]?[name] { return member }
    let alternatives = (json["oneOf"]?.array ?? []) + (json["anyOf"]?.array ?? [])
    return alternatives.lazy.compactMap { $0["properties"]?[name] }.first { $0["type"] != "null" }
  }

  /// Members of an object by name, in the order of the document.
  public struct Members: Sendable, ExpressibleByDictionaryLiteral {
    let list: [(name: String, schema: Schema)]

    public init(_ list: [(String, Schema)]) { self.list = list.map { ($0.0, $0.1) } }
    public init(dictionaryLiteral elements: (String, Schema)...) { self.init(elements) }
  }
}
