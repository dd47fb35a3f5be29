import JSON
import Testing

/// Texts whose comparison, hash or normal form would cost the square of their length.
@Suite("Hostile texts in JSON")
struct HostileTextTests {
  /// Rows of marks that are longer than a stream-safe text may have.
  static let rows: [(String, String)] = [
    ("two kinds of marks", row("\u{308}", 200) + row("\u{323}", 200)),
    ("marks in turn", row("\u{308}\u{323}", 200)), ("one kind", row("\u{301}", 31)),
    ("marks that decompose", row("\u{344}", 31)), ("Thai vowels", row("\u{E34}", 31)),
    ("half-width sound marks", row("\u{FF9E}", 31)),
    ("sound marks between others", row(row("\u{308}", 30) + "\u{FF9E}", 9)),
    ("musical marks", row("\u{1D165}", 31)), ("marks that enclose", row("\u{20DD}", 31)),
    ("variation selectors", row("\u{FE0F}", 31)),
  ]

  /// Legitimate texts in many scripts.
  static let honest: [String] = [
    "Nguyễn Thị Ánh", "Nguye\u{302}\u{303}n", "ที่นี่ปู่ย่า", "नमस्ते क्षेत्र", "한국어 한국",
    "👩‍👩‍👧‍👦🏳️‍🌈🇨🇭👍🏽1️⃣", "مُحَمَّدٌ", "שָׁלוֹם", "ｶﾞｷﾞｸﾞ", "Zoë \u{1E69}\u{323}\u{307}",
    "a" + row("\u{301}", 30),
  ]

  private static func row(_ part: String, _ times: Int) -> String {
    String(repeating: part, count: times)
  }

  @Test("a string with more than 30 marks in a row is refused at its place", arguments: rows)
  func strings(kind: String, row: String) {
    for text in ["[\n 1, \"a\(row)\"]", "{\"b\":\n    \"\(row)\"}"] {
      let error = #expect(throws: JSONSyntaxError.self, "\(kind)") { try JSON(parsing: text) }
      #expect(error?.position == TextPosition(line: 2, column: 5))
      #expect(error?.message.contains("30 combining marks in a row") == true)
    }
  }

  @Test(
    "refuses a key with more than 30 marks in a row before it is compared with others",
    arguments: rows)
  func keys(kind: String, row: String) {
    for text in ["{\"a\(row)\": 1}", "{\"a\(row)\": 1, \"a\(row)\": 2}"] {
      let error = #expect(throws: JSONSyntaxError.self, "\(kind)") { try JSON(parsing: text) }
      #expect(error?.position == TextPosition(line: 1, column: 2))
      #expect(error?.message.contains("30 combining marks in a row") == true)
      #expect(throws: JSONSyntaxError.self) {
        try JSONDocument(parsing: text.utf8, keepingRepeatedKeys: true)
      }
    }
  }

  @Test("refuses more than 30 marks in a row that are written as escapes", arguments: rows)
  func escapes(kind: String, row: String) {
    let escaped = row.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
    #expect(throws: JSONSyntaxError.self, "\(kind)") { try JSON(parsing: "\"\(escaped)\"") }
    #expect(throws: JSONSyntaxError.self, "\(kind)") { try JSON(parsing: "{\"\(escaped)\":1}") }
  }

  @Test("reads ordinary text unchanged, as a key and as a value", arguments: honest)
  func people(text: String) throws {
    let value = try JSON(parsing: JSON.object([text: .string(text)]).text())
    #expect(Array(value.object?.keys.first?.utf8 ?? "".utf8) == Array(text.utf8))
    #expect(Array(value[text]?.string?.utf8 ?? "".utf8) == Array(text.utf8))
  }

  @Test("the writer changes no text; the reader refuses one with more than 30 marks in a row")
  func written() throws {
    for (kind, row) in Self.rows {
      let text = JSON.string("b\(row)c").text()
      #expect(Array(text.utf8) == Array("\"b\(row)c\"".utf8), "\(kind)")
      #expect(throws: JSONSyntaxError.self, "\(kind)") { try JSON(parsing: text) }
      let shown = "b\(row)c".boundedLine(maximumBytes: 1_000_000)
      #expect(try JSON(parsing: JSON.string(shown).text()) == .string(shown), "\(kind)")
    }
  }

  @Test("a key has at most 1,024 bytes; a value may be longer")
  func longKeys() throws {
    for letter in ["a", "é"] {
      let longest = Self.row(letter, 1024 / letter.utf8.count)
      _ = try JSON(parsing: "{\"\(longest)\": 1}")
      let error = #expect(throws: JSONSyntaxError.self) {
        try JSON(parsing: "{ \"\(longest)a\": 1}")
      }
      #expect(error?.position == TextPosition(line: 1, column: 3))
      #expect(error?.message.contains("longer than 1024 bytes") == true)
    }
    #expect(try JSON(parsing: "\"\(Self.row("a", 100_000))\"").string?.utf8.count == 100_000)
  }

  @Test("keys that look alike and differ in their bytes are two keys", arguments: [0, 30])
  func bytes(others: Int) throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let more = (0..<others).map { ",\"k\($0)\":0" }.joined()
    let value = try JSON(parsing: "{\"\(composed)\":1\(more),\"\(decomposed)\":2}")
    #expect(value[composed] == 1)
    #expect(value[decomposed] == 2)
    #expect(value.object?.count == 2 + others)
    let turned = JSONObject((value.object?.reversed() ?? []).map { ($0.key, $0.value) })
    #expect(JSON.object(turned) == value)
    #expect(JSON.object(turned).hashValue == value.hashValue)
    var other = turned
    other[composed] = 3
    #expect(JSON.object(other) != value)
    #expect(throws: JSONSyntaxError.self) {
      try JSON(parsing: "{\"\(composed)\":1\(more),\"\(composed)\":2}")
    }
  }

  @Test("each of two keys that look alike has its own position")
  func places() throws {
    let document = try JSONDocument(parsing: "{\"\u{E9}\":1,\n\"e\u{301}\":[2,\n3]}".utf8)
    #expect(document.keyPosition(of: [.key("\u{E9}")]) == TextPosition(line: 1, column: 2))
    #expect(document.keyPosition(of: [.key("e\u{301}")]) == TextPosition(line: 2, column: 1))
    #expect(
      document.position(of: [.key("e\u{301}"), .index(1)]) == TextPosition(line: 3, column: 1))
  }

  @Test("a large object keeps the last value of a repeated key, at the first place of the key")
  func largeObjects() {
    let members = (0..<100).map { ("k\($0 % 60)", JSON.integer($0)) }
    let object = JSONObject(members)
    #expect(object.keys == (0..<60).map { "k\($0)" })
    #expect(object["k39"] == 99)
    #expect(object["k40"] == 40)
  }

  @Test("a value knows whether one of its lists or objects is larger than a limit")
  func sizes() {
    let four: JSON = [1, 2, 3, 4]
    #expect(four.exceeds(elements: 3))
    #expect(!four.exceeds(elements: 4))
    #expect((["a": ["b": four]] as JSON).exceeds(elements: 3))
    #expect(!(["a": ["b": four]] as JSON).exceeds(elements: 4))
    #expect((["a": 1, "b": [:], "c": "long"] as JSON).exceeds(elements: 2))
    #expect(!JSON.string("long").exceeds(elements: 0))
  }
}
