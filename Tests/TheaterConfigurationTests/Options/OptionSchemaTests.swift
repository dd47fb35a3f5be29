import JSON
import PluginProtocol
import Testing

@testable import TheaterConfiguration

@Suite("Options schemas of manifests")
struct OptionSchemaTests {
  private static func schema(_ property: JSON) -> JSON {
    ["type": "object", "properties": ["x": property]]
  }

  @Test(
    "enforces each keyword of the subset",
    arguments: [
      (["type": "integer", "minimum": 1, "maximum": 3], 2, 4),
      (["type": "integer"], 2.0, 2.5), (["type": "number"], 2.5, "2.5"),
      (["type": "boolean"], true, 1), (["type": "string", "pattern": "^a+$"], "aa", "ab"),
      (["enum": ["a", 1, nil]], nil, "b"), (["type": ["string", "null"]], nil, 1),
      (["type": "array", "items": ["type": "string"]], ["a"], ["a", 1]),
      (
        ["type": "object", "required": ["a"], "properties": ["a": ["type": "null"]]], ["a": nil],
        [:]
      ),
      (["type": "object", "properties": ["a": ["type": "null"]]], [:], ["b": nil]),
    ] as [(JSON, JSON, JSON)])
  func keywords(_ schema: JSON, _ good: JSON, _ bad: JSON) throws {
    let shape = try OptionSchema.shape(Self.schema(schema))
    #expect(shape.problems(with: ["x": good]).isEmpty)
    #expect(shape.problems(with: ["x": bad]).count == 1)
  }

  @Test(
    "a schema outside of the subset is refused, with the place",
    arguments: [
      (["type": "strin"], "$.properties.x.type"),
      (["minLength": 3, "type": "string"], "minLength"),
      (["type": "array"], "$.properties.x"), ([:], "$.properties.x"), (5, "$.properties.x"),
      (["type": "string", "pattern": "("], "$.properties.x.pattern"),
      (["type": "number", "minimum": "0"], "$.properties.x.minimum"),
      (["type": "number", "maximum": 3, "default": 4], "$.properties.x.default"),
      (["enum": []], "$.properties.x.enum"), (["type": "string", "format": "uri"], "format"),
      (["type": "object", "required": ["y"]], "$.properties.x.required"),
      (["type": "object", "properties": ["secret": ["type": "string"]]], "properties.secret"),
      (["type": "object", "additionalProperties": true], "additionalProperties"),
    ] as [(JSON, String)])
  func outside(_ schema: JSON, _ place: String) {
    let error = #expect(throws: OptionSchemaError.self) {
      try OptionSchema.shape(Self.schema(schema))
    }
    #expect(error?.path.description.hasSuffix(place) == true)
  }

  @Test(
    "F5 · a pattern with a repetition in a repetition is refused: its search could take for ever",
    arguments: [
      "^(a+)+$", "^([a-z]*)*$", "^(?:a{2,}b?)+$", "(x(\\d+|y)?)*", "((a+)b){1,}", "^(a+)+?$",
    ])
  func nestedRepetition(_ pattern: String) {
    let error = #expect(throws: OptionSchemaError.self) {
      try OptionSchema.shape(Self.schema(["type": "string", "pattern": .string(pattern)]))
    }
    #expect(error?.path.description.hasSuffix("$.properties.x.pattern") == true)
    #expect(error?.message.contains("(a+)+") == true)
  }

  @Test(
    "other repetitions are allowed in a pattern",
    arguments: [
      "^[a-z]+(:[0-9]+)?$", "^(.|\\n){0,4096}$", "^(/.{0,512})?$", "^([0-9]{1,3}\\.){3}[0-9]+$",
      "^([+*]\\(a\\+)+$", "^[a-z]+(\\.[a-z]+){0,9}$", "^(ab)+c*$",
    ])
  func singleRepetition(_ pattern: String) throws {
    _ = try OptionSchema.shape(Self.schema(["type": "string", "pattern": .string(pattern)]))
  }

  @Test("F5 · a pattern of more than 1,000 bytes is refused")
  func longPattern() {
    let pattern = String(repeating: "a", count: 1001)
    #expect(throws: OptionSchemaError.self) {
      try OptionSchema.shape(Self.schema(["type": "string", "pattern": .string(pattern)]))
    }
  }

  @Test("refuses a schema whose options are not an object")
  func root() {
    #expect(throws: OptionSchemaError.self) { try OptionSchema.shape(["type": "string"]) }
  }

  @Test("paths with dots, doubled slashes and ~ become absolute")
  func paths() {
    let origin = PathOrigin(folder: "/a/b", home: "/home/ada")
    #expect(origin.absolute("c/./d//e/..") == "/a/b/c/d")
    #expect(origin.absolute("../../../x") == "/x")
    #expect(origin.absolute("~") == "/home/ada")
    #expect(origin.absolute("~bob") == "/a/b/~bob")
    #expect(PathOrigin(folder: "/a").absolute("~/x") == "/a/~/x")
  }
}
