import Testing

@testable import JSON

@Suite("Places in a JSON text")
struct DocumentTests {
  private static let text = """
    {
      "ä": {"b": [1, {"c": 2}]},
      "d": "x"
    }
    """

  @Test("each value and each key has its line and column; columns count code points")
  func places() throws {
    let document = try JSONDocument(parsing: Self.text.utf8)
    let deep: JSONPath = [.key("ä"), .key("b"), .index(1), .key("c")]
    #expect(document.position(of: []) == TextPosition(line: 1, column: 1))
    #expect(document.position(of: deep) == TextPosition(line: 2, column: 24))
    #expect(document.keyPosition(of: deep) == TextPosition(line: 2, column: 19))
    #expect(document.position(of: [.key("d")]) == TextPosition(line: 3, column: 8))
    #expect(document.keyPosition(of: [.key("d")]) == TextPosition(line: 3, column: 3))
  }

  @Test("places are right on a line of any length")
  func longLine() throws {
    let count = 3000
    let text = "[\n" + Array(repeating: "\"ä\"", count: count).joined(separator: ",") + "]"
    let document = try JSONDocument(parsing: text.utf8)
    for index in 0..<count {
      #expect(
        document.position(of: [.index(index)]) == TextPosition(line: 2, column: index * 4 + 1))
    }
  }

  @Test("the position of a missing value is that of the nearest enclosing one")
  func missing() throws {
    let document = try JSONDocument(parsing: Self.text.utf8)
    #expect(
      document.position(of: [.key("ä"), .key("x"), .index(3)]) == TextPosition(line: 2, column: 8))
    #expect(document.keyPosition(of: [.key("x")]) == TextPosition(line: 1, column: 1))
  }

  @Test("repeated keys are an error, or listed when the reader asks; the first value counts")
  func repeated() throws {
    let text = "{\"a\": {\"b\": 1,\n\"b\": [2], \"b\": 3},\n \"a\": 4}"
    #expect(throws: JSONSyntaxError.self) { try JSONDocument(parsing: text.utf8) }
    let document = try JSONDocument(parsing: text.utf8, keepingRepeatedKeys: true)
    #expect(document.value == ["a": ["b": 1]])
    #expect(
      document.repeatedKeys == [
        .init(path: [.key("a"), .key("b")], position: TextPosition(line: 2, column: 1)),
        .init(path: [.key("a"), .key("b")], position: TextPosition(line: 2, column: 11)),
        .init(path: [.key("a")], position: TextPosition(line: 3, column: 2)),
      ])
    #expect(document.position(of: [.key("a"), .key("b")]) == TextPosition(line: 1, column: 13))
  }

  @Test("a repeated key is found among many, too")
  func repeatedAmongMany() {
    let members = (0..<100).map { "\"k\($0)\": 0" }.joined(separator: ",")
    #expect(throws: Never.self) { try JSON(parsing: "{\(members)}") }
    #expect(throws: JSONSyntaxError.self) { try JSON(parsing: "{\(members), \"k3\": 1}") }
  }

  @Test("F6 · a value is replaced in its text, and every other byte stays")
  func replacing() throws {
    let text =
      "\t{ \"a\" : [1 ,2], \"ä\":{\"b\" :\r\n  {\n    \"c\": \"x\\u0041\"\n  }}, \"d\":-1e2}  \n"
    let document = try JSONDocument(parsing: text.utf8)
    func replaced(_ path: JSONPath, _ value: JSON) -> String? {
      document.replacing(path, with: value).map { String(decoding: $0, as: UTF8.self) }
    }
    for (path, old, new, value) in [
      ([.key("a"), .index(1)], "2]", #"{"k": [true, "ü\n"]}]"#, ["k": [true, "ü\n"]]),
      ([.key("a")], "[1 ,2]", "null", .null),
      ([.key("ä"), .key("b"), .key("c")], #""x\u0041""#, #""y""#, "y"),
      ([.key("d")], "-1e2", "{}", [:]),
      // A value on several lines is replaced by one on several lines.
      (
        [.key("ä"), .key("b")], "{\n    \"c\": \"x\\u0041\"\n  }",
        "{\n    \"e\": [\n      1\n    ]\n  }", ["e": [1]]
      ),
    ] as [(JSONPath, String, String, JSON)] {
      let whole = try #require(replaced(path, value))
      #expect(whole == text.replacing(old, with: new, maxReplacements: 1))
      #expect(try JSON(parsing: whole.utf8) == document.value.with(value, at: path.elements[...]))
    }
    #expect(replaced([], [1, [:]]) == "\t[\n\t  1,\n\t  {}\n\t]  \n")
    #expect(replaced([.key("x")], 1) == nil)
    #expect(replaced([.key("a"), .index(2)], 1) == nil)
    #expect(replaced([.key("d"), .key("x")], 1) == nil)
  }

  @Test("a path is described with points between names, and brackets around other keys and indices")
  func paths() {
    let path: JSONPath = [.key("scenes"), .key("watch-film"), .index(2), .key("a b"), .key("")]
    #expect(path.description == #"$.scenes.watch-film[2]["a b"][""]"#)
    #expect(JSONPath().description == "$")
  }
}

extension JSON {
  /// This value with the one at an existing path replaced.
  fileprivate func with(_ value: JSON, at path: ArraySlice<JSONPath.Element>) -> JSON {
    switch (path.first, self) {
    case (.key(let key)?, .object(var object)):
      object[key] = (object[key] ?? .null).with(value, at: path.dropFirst())
      return .object(object)
    case (.index(let index)?, .array(var elements)):
      elements[index] = elements[index].with(value, at: path.dropFirst())
      return .array(elements)
    default: return value
    }
  }
}
