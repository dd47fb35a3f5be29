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
