import JSON
import Testing

/// Mistakes of people who write JSON by hand.
@Suite("Mistakes in JSON")
struct SyntaxMistakeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var mistake: SyntaxMistake
    var line = 1
    var column: Int
    var says: String
    var testDescription: String { text.debugDescription }

    init(
      _ text: String, _ mistake: SyntaxMistake, _ line: Int, _ column: Int, _ says: String
    ) {
      (self.text, self.mistake, self.says) = (text, mistake, says)
      (self.line, self.column) = (line, column)
    }
  }

  static let cases = [
    Case("{\n  \"a\": 1\n  \"b\": 2\n}", .missingComma, 2, 9, "a comma (or }) is missing"),
    Case("{\"a\": {}\n\n\"b\": 2}", .missingComma, 1, 9, "a comma (or }) is missing"),
    Case("[{\"a\": 1}\n {\"b\": 2}]", .missingComma, 1, 10, "a comma (or ]) is missing"),
    Case("[true false]", .missingComma, 1, 6, "a comma (or ]) is missing"),
    Case("{\"a\": \"The \"best\" film\"}", .other, 1, 12, "write \\\" for a quote inside"),
    Case("{\"a\": 1,\n}", .trailingComma, 1, 8, "no comma may stand before the closing \"}\""),
    Case("[1, 2 , ]", .trailingComma, 1, 7, "no comma may stand before the closing \"]\""),
    Case("{\n  // lamps\n  \"a\": 1}", .comment, 2, 3, "JSON has no comments"),
    Case("{\"a\": 1 // lamps\n}", .comment, 1, 9, "JSON has no comments"),
    Case("{\"a\": 1, /* lamps */ \"b\": 2}", .comment, 1, 10, "JSON has no comments"),
    Case("[1, # lamps\n 2]", .comment, 1, 5, "JSON has no comments"),
    Case("# lamps\n{}", .comment, 1, 1, "JSON has no comments"),
    Case("{} // end", .comment, 1, 4, "JSON has no comments"),
    Case("{“a”: 1}", .foreignQuote, 1, 2, "typographic quote “ (U+201C)"),
    Case("{\"a”: 1, \"b\": 2}", .foreignQuote, 1, 4, "typographic quote ” (U+201D)"),
    Case("{\"a\": \"x”,\n \"b\": 2}", .foreignQuote, 1, 9, "typographic quote ” (U+201D)"),
    Case("{\"a\": «x»}", .foreignQuote, 1, 7, "typographic quote « (U+00AB)"),
    Case("{'a': 1}", .foreignQuote, 1, 2, "single quote"),
    Case("{\"a\": 'x'}", .foreignQuote, 1, 7, "single quote"),
    Case("{\u{A0}\"a\": 1}", .foreignSpace, 1, 2, "a no-break space (U+00A0)"),
    Case("{\"a\":\u{A0}1}", .foreignSpace, 1, 6, "a no-break space (U+00A0)"),
    Case("{\"a\"\u{200B}: 1}", .foreignSpace, 1, 5, "a zero-width space (U+200B)"),
    Case("[1\u{3000}, 2]", .foreignSpace, 1, 3, "(U+3000)"),
    Case("{\"a\": True}", .spelling, 1, 7, "unexpected True, expected true"),
    Case("[None]", .spelling, 1, 2, "unexpected None, expected null"),
    Case("[1, yes]", .spelling, 1, 5, "unexpected yes, expected true"),
    Case("{role: 1}", .unquotedWord, 1, 2, "the key role stands without double quotes"),
    Case("{\"a\": lights}", .unquotedWord, 1, 7, "the text lights stands without double quotes"),
    Case("{\"a\": свет}", .unquotedWord, 1, 7, "the text свет stands without double quotes"),
    Case("devices:\n  amp:\n", .otherFormat, 1, 1, "probably YAML"),
    Case("---\ndevices:\n", .otherFormat, 1, 1, "probably YAML"),
    Case("- amp\n- cd\n", .otherFormat, 1, 1, "probably YAML"),
    Case("[1;2]", .other, 1, 3, "unexpected \";\", expected , or ]"),
    Case("{\"a\"= 1}", .other, 1, 5, "expected : after the key \"a\""),
  ]

  @Test("names what was probably meant, at the place of the mistake", arguments: cases)
  func meaning(_ one: Case) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: one.text) }
    #expect(error?.mistake == one.mistake, "\(error?.message ?? "")")
    #expect(error?.position == TextPosition(line: one.line, column: one.column))
    #expect(error?.message.contains(one.says) == true, "\(error?.message ?? "")")
  }

  @Test(
    "names another encoding",
    arguments: [
      [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], [0xFE, 0xFF, 0x00, 0x7B], [0x7B, 0x00, 0x7D, 0x00],
      [0xEF, 0xBB, 0xBF, 0x7B, 0x7D],
    ] as [[UInt8]])
  func encoding(_ bytes: [UInt8]) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: bytes) }
    #expect(error?.mistake == .encoding)
    #expect(error?.message.contains("UTF-8") == true)
    #expect(error?.position == TextPosition(line: 1, column: 1))
  }
}
