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
      (["type": "string", "minLength": 2], "🎬🎬", "🎬"),
      (["type": "string", "maxLength": 2], "🎬\n", "abc"),
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
      (["multipleOf": 3, "type": "number"], "multipleOf"),
      (["type": "string", "minLength": -1], "minLength"),
      (["type": "string", "maxLength": 1.5], "maxLength"),
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
    "F5 · a pattern that needs backtracking, or has an anchor inside, is refused with the reason",
    arguments: [
      (#"(a)\1"#, "Known are"), ("(?=a)b", "looks around"), ("a+?", "two repetitions"),
      ("a^b", "an anchor"), ("a$b", "an anchor"), ("(^a)", "an anchor"), ("(a$)", "an anchor"),
      ("(((a{100}){100}){100}){100}", "1000 steps"), ("[a", "not closed"),
    ])
  func unreadablePattern(_ pattern: String, _ reason: String) {
    let error = #expect(throws: OptionSchemaError.self) {
      try OptionSchema.shape(Self.schema(["type": "string", "pattern": .string(pattern)]))
    }
    #expect(error?.path.description.hasSuffix("$.properties.x.pattern") == true)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test(
    "a pattern is searched in the text, unless its alternatives are anchored",
    arguments: [
      ("b+", ["b", "abc", "\nb\n"], ["", "ac"]),
      ("^/dev/", ["/dev/x\n", "/dev/"], ["a/dev/", "dev"]),
      ("[.]mp3$", ["a.mp3", "\n.mp3"], ["a.mp3 ", "mp3"]),
      ("^a|b$", ["ax", "xb"], ["xa", "bx", ""]),
      ("^(a|b)$", ["a", "b"], ["ab", "xa"]), ("^$", [""], ["a"]), ("", ["", "a"], []),
      (#"^[a-z]+(\.[a-z]+)*$"#, ["a", "a.b.c"], ["a.", ".a"]),
      (#"^[\s\S]{0,3}$"#, ["", "ä\n🎬"], ["abcd"]), (#"^\S\W\D$"#, ["a-b"], ["a-1", " -b"]),
    ] as [(String, [String], [String])])
  func searchedPattern(_ pattern: String, _ good: [String], _ bad: [String]) throws {
    let shape = try OptionSchema.shape(
      Self.schema(["type": "string", "pattern": .string(pattern)]))
    for text in good { #expect(shape.problems(with: ["x": .string(text)]).isEmpty, "\(text)") }
    for text in bad { #expect(shape.problems(with: ["x": .string(text)]).count == 1, "\(text)") }
  }

  @Test(
    "F5 · no pattern makes the check of a text slow",
    arguments: ["^(a+)+$", "^(a|a)*$", "(x+x+)+y", "^(a?){300}$"])
  func boundedCost(_ pattern: String) throws {
    let shape = try OptionSchema.shape(
      Self.schema(["type": "string", "pattern": .string(pattern)]))
    let duration = ContinuousClock().measure {
      #expect(
        shape.problems(with: ["x": .string(String(repeating: "a", count: 60) + "!")]).count == 1)
    }
    // Backtracking would take years; this takes milliseconds.
    #expect(duration < .seconds(20))
  }

  @Test("F5 · a pattern of more than 500 characters is refused")
  func longPattern() {
    let pattern = String(repeating: "a", count: 501)
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
