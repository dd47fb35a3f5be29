import JSON
import Testing

@Suite("Reading JSON")
struct ParsingTests {
  @Test(
    "reads valid texts",
    arguments: [
      ("null", .null), (" true\n", true), ("false", false), ("0", 0), ("-0", 0), ("-12", -12),
      ("9223372036854775807", .integer(.max)), ("1.5", 1.5), ("1e2", 100), ("-2.5E-1", -0.25),
      ("9223372036854775808", .number(9_223_372_036_854_775_808)),
      (#""a\"\\\/\b\f\n\r\tb""#, "a\"\\/\u{8}\u{c}\n\r\tb"),
      (#""ä\u00e4\uD83D\uDE00""#, "ää😀"), ("[]", []), ("[1, [2], {}]", [1, [2], [:]]),
      (#"{"a": 1, "b": {"c": null}}"#, ["a": 1, "b": ["c": nil]]),
    ] as [(String, JSON)])
  func right(_ text: String, _ value: JSON) throws {
    #expect(try JSON(parsing: text) == value)
  }

  @Test(
    "refuses invalid texts with the position of the mistake",
    arguments: [
      ("", 1, 1, "ends where a value"), ("nul", 1, 1, "expected a value"),
      ("01", 1, 1, "must not have leading zeros"), ("1.", 1, 3, "expected a digit"),
      ("-", 1, 2, "expected a digit"), ("1e999", 1, 1, "out of range"), ("+1", 1, 1, "\"+\""),
      ("[1 2]", 1, 3, "a comma (or ]) is missing"), ("[1,]", 1, 3, "no comma"),
      ("[1;2]", 1, 3, "expected , or ]"),
      ("{a: 1}", 1, 2, "double quotes"), (#"{"a" 1}"#, 1, 6, "expected : after the key"),
      (#"{"a": 1,}"#, 1, 8, "no comma"), ("{\n\"a\": 1,\n \"a\": 2}", 3, 2, "occurs twice"),
      ("\"a\nb\"", 1, 3, "line break"), ("\"abc", 1, 1, "no closing quote"),
      (#""\x""#, 1, 3, "unknown escape"), (#""\ud800""#, 1, 8, "surrogate"),
      (#""\udc00""#, 1, 8, "surrogate"), (#""\ud800\u0041""#, 1, 14, "surrogate"),
      (#""\u12g4""#, 1, 6, "four hexadecimal digits"), ("1 1", 1, 3, "after the end"),
      ("\"ä\" x", 1, 5, "after the end"), ("NaN", 1, 1, "expected a value"),
      ("\u{FEFF}1", 1, 1, "byte-order mark"), ("\u{FEFF}", 1, 1, "byte-order mark"),
    ])
  func wrong(_ text: String, _ line: Int, _ column: Int, _ says: String) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: text) }
    #expect(error?.position == TextPosition(line: line, column: column))
    #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
  }

  @Test(
    "text that is not UTF-8 is refused",
    arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]])
  func notUTF8(_ bytes: [UInt8]) {
    #expect(throws: JSONSyntaxError.self) { try JSON(parsing: [0x22] + bytes + [0x22]) }
  }

  @Test("64 levels are read, 65 are refused")
  func nesting() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    _ = try JSON(parsing: nested(64))
    #expect(throws: JSONSyntaxError.self) { try JSON(parsing: nested(65)) }
    #expect(throws: JSONSyntaxError.self) {
      try JSON(parsing: String(repeating: "{\"a\":", count: 100_000))
    }
  }

  @Test("refuses every truncated text without a crash")
  func truncated() throws {
    let text = Array(#"{"a": [1.5e3, "b\u00e4\n", {"c": null}], "d": true}"#.utf8)
    _ = try JSON(parsing: text)
    for count in 0..<text.count {
      #expect(throws: JSONSyntaxError.self) { try JSON(parsing: text.prefix(count)) }
    }
  }

  @Test("a text with any one byte exchanged gives a value or an error")
  func corrupted() throws {
    let text = Array(#"{"a": [-1.5e3, "b\u00e4\n😀"], "d": true}"#.utf8)
    var refused = 0
    for index in text.indices {
      for byte in stride(from: UInt8(0), to: 250, by: 7) {
        var copy = text
        copy[index] = byte
        if (try? JSON(parsing: copy)) == nil { refused += 1 }
      }
    }
    #expect(refused > 500)
  }
}
