import JSON

extension TheaterConfiguration {
  /// The JSON Schema (draft 2020-12) of `devices.json`, for these plugins, generated from command
  /// tables and manifests. It finds every problem of the kind `shape`.
  package static func schema(_ plugins: KnownPlugins) -> JSON {
    var definitions = JSONObject()
    let file = SchemaNode.object(ConfigurationSchemaNodes.file(plugins)).schema(&definitions)
    var schema: JSONObject = [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Home theater configuration",
    ]
    for (key, value) in file.object ?? [:] { schema[key] = value }
    schema["$defs"] = .object(definitions)
    return .object(schema)
  }
}

extension SchemaNode {
  /// This shape as JSON Schema (draft 2020-12).
  ///
  /// - Parameter definitions: Receives the shapes that have a name.
  package func schema(_ definitions: inout JSONObject) -> JSON {
    switch self {
    case .anything: return .bool(true)
    case .null: return ["type": "null"]
    case .boolean: return ["type": "boolean"]
    case .number(let shape): return .object(shape.schema)
    case .text(let shape): return .object(shape.schema)
    case .constants(let values): return ["enum": .array(values)]
    case .list(let element): return ["type": "array", "items": element.schema(&definitions)]
    case .object(let shape): return shape.schema(&definitions)
    case .either(let shapes):
      var parts: [JSON] = []
      for shape in shapes { parts.append(shape.schema(&definitions)) }
      return ["anyOf": .array(parts)]
    case .named(let name, let shape):
      if definitions[name] == nil {
        definitions[name] = .bool(true)  // keeps its place while it is written
        definitions[name] = shape.schema(&definitions)
      }
      return ["$ref": .string("#/$defs/\(name)")]
    case .reference(let name): return ["$ref": .string("#/$defs/\(name)")]
    case .deferred(let shape): return shape.schema(&definitions)
    }
  }
}

extension NumberSchema {
  fileprivate var schema: JSONObject {
    var schema: JSONObject = ["type": isWhole ? "integer" : "number"]
    if let minimum { schema["minimum"] = .number(minimum) }
    if let maximum { schema["maximum"] = .number(maximum) }
    return schema
  }
}

extension TextSchema {
  fileprivate var schema: JSONObject {
    var schema: JSONObject = ["type": "string"]
    if shortest > 0 { schema["minLength"] = .integer(shortest) }
    if let longest { schema["maxLength"] = .integer(longest) }
    if let rule { schema["pattern"] = .string(rule.pattern) }
    return schema
  }
}

extension ObjectSchema {
  fileprivate func schema(_ definitions: inout JSONObject) -> JSON {
    var schema: JSONObject = ["type": "object"]
    schema["properties"] = notedProperties(&definitions)
    let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
    if !required.isEmpty { schema["required"] = .array(required) }
    if let others {
      schema["additionalProperties"] = others.shape.schema(&definitions)
      if let key = others.key { schema["propertyNames"] = names(key, others.reserved) }
      if others.isSingle { schema["anyOf"] = oneOther }
    } else {
      schema["additionalProperties"] = false
    }
    if fewest > 0 { schema["minProperties"] = .integer(fewest) }
    if isSingle {
      schema["if"] = ["required": [.string(ConfigurationNotes.key)]]
      schema["then"] = ["minProperties": 2, "maxProperties": 2]
      schema["else"] = ["minProperties": 1, "maxProperties": 1]
    }
    if alternatives.count > 1 {
      schema["not"] = ["required": .array(alternatives.map { .string($0) })]
    }
    if !variants.isEmpty { schema["allOf"] = .array(variants.map { $0.schema(&definitions) }) }
    return .object(schema)
  }

  fileprivate static func properties(_ fields: [Field], _ definitions: inout JSONObject) -> JSON {
    var properties = JSONObject()
    for field in fields {
      var schema = field.shape.schema(&definitions)
      if var object = schema.object {
        if let help = field.help { object["description"] = .string(help) }
        if let standard = field.standard { object["default"] = standard }
        schema = .object(object)
      }
      properties[field.name] = schema
    }
    return .object(properties)
  }

  /// The fields, and the note that every object may have.
  private func notedProperties(_ definitions: inout JSONObject) -> JSON {
    var properties = Self.properties(fields, &definitions).object ?? [:]
    properties[ConfigurationNotes.key] = ConfigurationNotes.schema
    return .object(properties)
  }

  /// The rule for the names of other members; the names of the fields are always valid.
  private func names(_ key: TextSchema, _ reserved: [String]) -> JSON {
    var rule = key.schema
    if !reserved.isEmpty { rule["not"] = ["enum": .array(reserved.map { .string($0) })] }
    let own = fields.map(\.name) + [ConfigurationNotes.key]
    return ["anyOf": [["enum": .array(own.map { .string($0) })], .object(rule)]]
  }

  /// Exactly one member beside the fields. JSON Schema cannot count such members, so there is one
  /// alternative for each set of fields, with the number of all members.
  private var oneOther: JSON {
    let own = fields.map(\.name) + [ConfigurationNotes.key]
    let subsets = own.reduce([[String]]([[]])) { sets, name in sets + sets.map { $0 + [name] } }
    return .array(
      subsets.map { given in
        let absent = own.filter { !given.contains($0) }
        var schema: JSONObject = [
          "minProperties": .integer(given.count + 1), "maxProperties": .integer(given.count + 1),
        ]
        if !given.isEmpty { schema["required"] = .array(given.map { .string($0) }) }
        if !absent.isEmpty {
          schema["properties"] = .object(JSONObject(absent.map { ($0, .bool(false)) }))
        }
        return .object(schema)
      })
  }
}

extension ObjectSchema.Variant {
  fileprivate func schema(_ definitions: inout JSONObject) -> JSON {
    let conditions = JSONObject(conditions.map { ($0.field, ["const": $0.value]) })
    var then: JSONObject = ["properties": ObjectSchema.properties(fields, &definitions)]
    let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
    if !required.isEmpty { then["required"] = .array(required) }
    return [
      "if": [
        "properties": .object(conditions), "required": .array(conditions.keys.map { .string($0) }),
      ],
      "then": .object(then),
    ]
  }
}
