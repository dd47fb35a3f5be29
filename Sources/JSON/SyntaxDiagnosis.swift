/// The kinds of syntax errors that people make in a text written by hand.
public enum SyntaxMistake: Sendable, Hashable, CaseIterable {
  /// `//`, `/*` or `#`: JSON has no comments.
  case comment
  /// Two values or members follow each other without a comma.
  case missingComma
  /// A comma stands before the closing bracket.
  case trailingComma
  /// A quote other than `"`: typographic or single.
  case foreignQuote
  /// A space or an invisible character that JSON does not allow between values.
  case foreignSpace
  /// The text begins with a byte-order mark, or is in UTF-16 or UTF-32.
  case encoding
  /// `True`, `None`, `yes` and other spellings of `true`, `false` and `null`.
  case spelling
  /// A word without double quotes.
  case unquotedWord
  /// The text is in another format, such as YAML.
  case otherFormat
  /// Any other mistake; the message says everything.
  case other
}

/// What a reader expects at an offset.
enum SyntaxExpectation {
  /// A value; the offset of the comma before it, in a list.
  case value(afterComma: Int?)
  /// A key; the offset of the comma before it, if there is one.
  case key(afterComma: Int?)
  case colon(key: String, keyAt: Int)
  /// The end of the value before.
  case separator(closing: UInt8, valueEnd: Int)
  /// Nothing more.
  case end
}

/// The description of unexpected text: what it probably means, and where the mistake is.
///
/// It runs only after an error was found, so that valid texts cost nothing.
struct SyntaxDiagnosis {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let offset: Int

  struct Finding {
    var mistake: SyntaxMistake
    var message: String
    var offset: Int
  }

  init(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Returns the mistake at the beginning of a text that shows that it is in another encoding.
  static func encoding(of bytes: UnsafeBufferPointer<UInt8>) -> Finding? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      return Finding(
        mistake: .encoding,
        message:
          "the text begins with a byte-order mark (U+FEFF); save or send it as UTF-8 without one",
        offset: 0)
    }
    let start = bytes.prefix(4)
    let isMarked = start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
    guard isMarked || start.contains(0) else { return nil }
    return Finding(
      mistake: .encoding,
      message: "the text is not UTF-8, but probably UTF-16; save or send it as UTF-8", offset: 0)
  }

  /// Returns the mistake of text that does not fit an expectation.
  func finding(expecting expectation: SyntaxExpectation) -> Finding {
    comma(expectation) ?? foreignText(expectation) ?? unclosedKey(expectation)
      ?? word(expectation)
      ?? Finding(
        mistake: .other, message: "unexpected \(found)\(expectation.phrase)", offset: offset)
  }

  /// Returns the mistake of a string that begins at `opening` and does not end on its line: a typographic
  /// quote in it was probably meant to end it.
  func unclosedString(from opening: Int) -> Finding? {
    typographicQuote(in: (opening + 1)..<offset)
  }

  // MARK: Kinds of mistakes

  private func comma(_ expectation: SyntaxExpectation) -> Finding? {
    switch expectation {
    case .separator(_, let valueEnd) where goesOn(after: valueEnd):
      Finding(
        mistake: .other,
        message:
          "the text ends at this quote and goes on after it; write \\\" for a quote inside it",
        offset: valueEnd - 1)
    case .separator(let closing, let valueEnd) where beginsValue:
      Finding(
        mistake: .missingComma,
        message: "a comma (or \(Self.character(closing))) is missing after this value",
        offset: valueEnd)
    case .value(let comma?), .key(let comma?):
      current == UInt8(ascii: "]") || current == UInt8(ascii: "}")
        ? Finding(
          mistake: .trailingComma, message: "no comma may stand before the closing \(found)",
          offset: comma) : nil
    default: nil
    }
  }

  /// A comment, another quote, or another space.
  private func foreignText(_ expectation: SyntaxExpectation) -> Finding? {
    if beginsComment {
      return Finding(
        mistake: .comment, message: "a comment begins here, but JSON has no comments",
        offset: offset)
    }
    if current == UInt8(ascii: "'") {
      return Finding(
        mistake: .foreignQuote, message: "a single quote, expected the double quote \"",
        offset: offset)
    }
    guard let scalar = scalar(at: offset) else { return nil }
    if Self.quotes.contains(scalar) { return Self.quote(scalar, at: offset) }
    guard scalar.properties.isWhitespace || scalar.properties.generalCategory == .format else {
      return nil
    }
    let name = Self.spaceNames[scalar] ?? "an invisible character"
    return Finding(
      mistake: .foreignSpace,
      message: "\(name) (\(Self.number(scalar)))\(expectation.phrase)", offset: offset)
  }

  /// A key with a typographic quote at its end reads on to the next `"`.
  private func unclosedKey(_ expectation: SyntaxExpectation) -> Finding? {
    guard case .colon(_, let keyAt) = expectation else { return nil }
    return typographicQuote(in: (keyAt + 1)..<offset)
  }

  private func word(_ expectation: SyntaxExpectation) -> Finding? {
    let word = String(
      decoding: bytes[offset...].prefix(TextLimits.longestQuotation).prefix(while: Self.isOfWord),
      as: UTF8.self)
    guard let first = word.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
      word.unicodeScalars.allSatisfy({ $0 != "\u{FFFD}" })
    else { return nil }
    switch expectation {
    case .value:
      if let meant = Self.spellings[word.lowercased()], meant != word {
        return Finding(
          mistake: .spelling, message: "unexpected \(word), expected \(meant)", offset: offset)
      }
      return isFirst ? otherFormat : unquoted("text", word)
    case .key: return unquoted("key", word)
    case .colon, .separator, .end: return nil
    }
  }

  private func unquoted(_ what: String, _ word: String) -> Finding {
    Finding(
      mistake: .unquotedWord,
      message: "the \(what) \(word.quotation) stands without double quotes", offset: offset)
  }

  private var otherFormat: Finding {
    let line = bytes[offset...].prefix { $0 != 0x0A }
    let isYAML = line.contains(UInt8(ascii: ":")) || line.first == UInt8(ascii: "-")
    return Finding(
      mistake: .otherFormat,
      message: isYAML
        ? "the text is not JSON, but probably YAML" : "unexpected \(found), expected a value",
      offset: offset)
  }

  // MARK: The text

  private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Whether only white space precedes the offset.
  private var isFirst: Bool { bytes[..<offset].allSatisfy { $0 <= 0x20 } }

  /// Whether a value or a key can begin at the offset.
  private var beginsValue: Bool {
    guard let byte = current else { return false }
    return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
      || byte == UInt8(ascii: "-") || (byte < 0x80 && Self.isOfWord(byte))
  }

  /// Whether a string ended at `valueEnd` and a word follows at once.
  private func goesOn(after valueEnd: Int) -> Bool {
    guard valueEnd == offset, valueEnd > 0, bytes[valueEnd - 1] == UInt8(ascii: "\""),
      let byte = current
    else { return false }
    return byte < 0x80 && Self.isOfWord(byte)
  }

  private var beginsComment: Bool {
    if current == UInt8(ascii: "#") { return true }
    guard current == UInt8(ascii: "/"), offset + 1 < bytes.count else { return false }
    return bytes[offset + 1] == UInt8(ascii: "/") || bytes[offset + 1] == UInt8(ascii: "*")
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
      true
    default: false
    }
  }

  var found: String {
    guard let byte = current else { return "end of the text" }
    if byte >= 0x20, byte < 0x7F { return "\"\(Self.character(byte))\"" }
    if byte >= 0x80, let scalar = scalar(at: offset) {
      return "\"\(Character(scalar))\" (\(Self.number(scalar)))"
    }
    return "byte 0x\(String(byte, radix: 16))"
  }

  /// The code point at an offset; `nil` if the bytes are not UTF-8.
  private func scalar(at offset: Int) -> Unicode.Scalar? {
    guard offset < bytes.count, bytes[offset] >= 0x80 else { return nil }
    var decoder = UTF8()
    var rest = bytes[offset...].prefix(4).makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return nil }
    return scalar
  }

  private func typographicQuote(in range: Range<Int>) -> Finding? {
    for place in range where place < bytes.count && bytes[place] >= 0xC2 {
      if let scalar = scalar(at: place), Self.quotes.contains(scalar) {
        return Self.quote(scalar, at: place)
      }
    }
    return nil
  }

  private static func quote(_ scalar: Unicode.Scalar, at offset: Int) -> Finding {
    Finding(
      mistake: .foreignQuote,
      message:
        "the typographic quote \(Character(scalar)) (\(number(scalar))), expected the straight quote \"",
      offset: offset)
  }

  private static func character(_ byte: UInt8) -> Character { Character(UnicodeScalar(byte)) }

  private static func number(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// The quotes of word processors, and those that look like them.
  private static let quotes: Set<Unicode.Scalar> = [
    "“", "”", "„", "‟", "«", "»", "‹", "›", "‘", "’", "‚", "‛", "″", "′", "＂", "`", "´",
  ]

  private static let spaceNames: [Unicode.Scalar: String] = [
    "\u{A0}": "a no-break space", "\u{202F}": "a narrow no-break space",
    "\u{FEFF}": "a byte-order mark", "\u{200B}": "a zero-width space",
    "\u{2028}": "a line separator", "\u{2029}": "a paragraph separator",
  ]

  /// Other languages' words for JSON's three, in lower case.
  private static let spellings = [
    "true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false",
    "null": "null", "none": "null", "nil": "null", "undefined": "null",
  ]
}

extension SyntaxExpectation {
  /// The end of a message about unexpected text: what was expected.
  var phrase: String {
    switch self {
    case .value: ", expected a value"
    case .key: ", expected a key in double quotes"
    case .colon(let key, _): ", expected : after the key \"\(key.quotation)\""
    case .separator(let closing, _): ", expected , or \(Character(UnicodeScalar(closing)))"
    case .end: " after the end of the value"
    }
  }
}
