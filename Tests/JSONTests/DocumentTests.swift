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

  @Test("what is not there is placed at the nearest value around it")
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

  @Test("a path reads like a way through the text")
  func paths() {
    let path: JSONPath = [.key("scenes"), .key("watch-film"), .index(2), .key("a b"), .key("")]
    #expect(path.description == #"$.scenes.watch-film[2]["a b"][""]"#)
    #expect(JSONPath().description == "$")
  }
}
