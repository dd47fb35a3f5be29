/// A mistake in a JSON text, with its place.
public struct JSONSyntaxError: Error, Hashable, CustomStringConvertible {
  /// The mistake as a phrase, with the unexpected text where it helps.
  public let message: String
  /// The place in the text.
  public let position: TextPosition
  /// The kind of mistake, for a hint.
  public let mistake: SyntaxMistake

  public var description: String { "line \(position.line), column \(position.column): \(message)" }
}

/// A place in a text, counted from 1; columns count Unicode code points.
public struct TextPosition: Sendable, Hashable, Comparable {
  /// 1 for the first line.
  public let line: Int
  /// 1 for the first code point of the line.
  public let column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

extension JSON {
  /// The largest depth of nested values. Deeper texts are refused before they can exhaust a small stack.
  public static let deepestNesting = 64

  /// Reads one JSON text (RFC 8259). Nothing may follow it but white space.
  ///
  /// A key that occurs twice in an object, text that is not UTF-8, a byte-order mark and nesting
  /// beyond `deepestNesting` are refused; so are keys of more than `TextLimits.longestKey` bytes and
  /// strings with more than `TextLimits.marksInARow` combining marks in a row, before anything
  /// compares them.
  public init(parsing bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
    self = try Self.parse(bytes) { (parser: inout JSONParser) throws(JSONSyntaxError) in
      try parser.document()
    }
  }

  /// Reads one JSON text (RFC 8259) in memory, without a copy: the fast path of every message.
  public init(parsing bytes: UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) {
    var parser = JSONParser(bytes)
    self = try parser.document()
  }

  /// Reads one JSON text (RFC 8259).
  public init(parsing text: String) throws(JSONSyntaxError) {
    try self.init(parsing: text.utf8)
  }

  static func parse<Value>(
    _ bytes: some Sequence<UInt8>,
    _ body: (inout JSONParser) throws(JSONSyntaxError) -> Value
  ) throws(JSONSyntaxError) -> Value {
    let attempt = bytes.withContiguousStorageIfAvailable { storage in
      Result { () throws(JSONSyntaxError) in
        var parser = JSONParser(storage)
        return try body(&parser)
      }
    }
    if let attempt { return try attempt.get() }
    let copy = Array(bytes)
    return try copy.withUnsafeBufferPointer { storage in
      Result { () throws(JSONSyntaxError) in
        var parser = JSONParser(storage)
        return try body(&parser)
      }
    }.get()
  }
}

/// A recursive-descent reader over bytes that it does not own. It never reads past them.
struct JSONParser {
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0
  private var depth = 0
  /// Called with the offset of each value and of its key, if positions are recorded.
  var visit: ((JSONPath.Element?, Visit) -> Void)?
  /// Called with a key that its object already has, and its offset. If it is nil, such a key is an
  /// error.
  var repeated: ((String, Int) -> Void)?

  enum Visit {
    case enter(valueAt: Int, keyAt: Int?)
    case leave(valueEndsAt: Int)
  }

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func document() throws(JSONSyntaxError) -> JSON {
    if let finding = SyntaxDiagnosis.encoding(of: bytes) { throw failure(finding) }
    skipSpace()
    visit?(nil, .enter(valueAt: index, keyAt: nil))
    let value = try value()
    visit?(nil, .leave(valueEndsAt: index))
    skipSpace()
    if index < bytes.count { throw unexpected(.end) }
    return value
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      index += 1
    }
  }

  /// Reads a value.
  ///
  /// - Parameter comma: The offset of the comma before it, in a list.
  private mutating func value(afterComma comma: Int? = nil) throws(JSONSyntaxError) -> JSON {
    guard let byte = current else { throw failure("the text ends where a value was expected") }
    switch byte {
    case UInt8(ascii: "{"):
      return try nested { (parser) throws(JSONSyntaxError) in try parser.object() }
    case UInt8(ascii: "["):
      return try nested { (parser) throws(JSONSyntaxError) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t") where isNext("true"): return word("true", .bool(true))
    case UInt8(ascii: "f") where isNext("false"): return word("false", .bool(false))
    case UInt8(ascii: "n") where isNext("null"): return word("null", .null)
    case UInt8(ascii: "-") where isNext("- ") || isNext("--"):
      throw unexpected(.value(afterComma: comma))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw unexpected(.value(afterComma: comma))
    }
  }

  private mutating func nested(
    _ body: (inout Self) throws(JSONSyntaxError) -> JSON
  ) throws(JSONSyntaxError) -> JSON {
    depth += 1
    defer { depth -= 1 }
    guard depth <= JSON.deepestNesting else {
      throw failure("values nest deeper than \(JSON.deepestNesting) levels")
    }
    index += 1
    return try body(&self)
  }

  private mutating func object() throws(JSONSyntaxError) -> JSON {
    var members: [JSONObject.Member] = []
    var seen: Set<UTF8Key> = []
    skipSpace()
    if current == UInt8(ascii: "}") {
      index += 1
      return .object(JSONObject(unique: []))
    }
    members.reserveCapacity(4)
    var comma: Int?
    while true {
      skipSpace()
      let keyAt = index
      guard current == UInt8(ascii: "\"") else {
        throw unexpected(.key(afterComma: comma))
      }
      let key = try string()
      guard key.utf8.count <= TextLimits.longestKey else {
        throw failure(
          "the key that begins here is longer than \(TextLimits.longestKey) bytes", at: keyAt)
      }
      let isNew = isNew(key, among: members, &seen)
      if !isNew {
        guard let repeated else {
          throw failure("the key \"\(key.quotation)\" occurs twice", at: keyAt)
        }
        repeated(key, keyAt)
      }
      skipSpace()
      guard current == UInt8(ascii: ":") else {
        throw unexpected(.colon(key: key, keyAt: keyAt))
      }
      index += 1
      skipSpace()
      visit?(.key(key), .enter(valueAt: index, keyAt: keyAt))
      let value = try value()
      if isNew { members.append((key, value)) }
      visit?(.key(key), .leave(valueEndsAt: index))
      guard try more(closing: UInt8(ascii: "}")) else {
        return .object(JSONObject(unique: members))
      }
      comma = index - 1
    }
  }

  /// Compares a few keys one by one; only large objects get a set.
  private func isNew(_ key: String, among members: [JSONObject.Member], _ seen: inout Set<UTF8Key>)
    -> Bool
  {
    guard members.count >= JSONObject.mostToScan else {
      return !members.contains { $0.key.hasSameBytes(as: key) }
    }
    if seen.isEmpty { seen = Set(members.map { UTF8Key($0.key) }) }
    return seen.insert(UTF8Key(key)).inserted
  }

  private mutating func array() throws(JSONSyntaxError) -> JSON {
    var values: [JSON] = []
    skipSpace()
    if current == UInt8(ascii: "]") {
      index += 1
      return .array([])
    }
    var comma: Int?
    while true {
      skipSpace()
      let place = JSONPath.Element.index(values.count)
      visit?(place, .enter(valueAt: index, keyAt: nil))
      values.append(try value(afterComma: comma))
      visit?(place, .leave(valueEndsAt: index))
      guard try more(closing: UInt8(ascii: "]")) else { return .array(values) }
      comma = index - 1
    }
  }

  /// Steps over space and a comma (true) or the closing bracket (false).
  private mutating func more(closing: UInt8) throws(JSONSyntaxError) -> Bool {
    let valueEnd = index
    skipSpace()
    guard let byte = current, byte == UInt8(ascii: ",") || byte == closing else {
      throw unexpected(.separator(closing: closing, valueEnd: valueEnd))
    }
    index += 1
    return byte != closing
  }

  /// Whether the text goes on with a word.
  private func isNext(_ word: StaticString) -> Bool {
    let end = index + word.utf8CodeUnitCount
    return end <= bytes.count
      && (0..<word.utf8CodeUnitCount).allSatisfy { bytes[index + $0] == word.utf8Start[$0] }
  }

  /// Steps over a word that `isNext`.
  private mutating func word(_ word: StaticString, _ value: JSON) -> JSON {
    index += word.utf8CodeUnitCount
    return value
  }

  private mutating func number() throws(JSONSyntaxError) -> JSON {
    let start = index
    if current == UInt8(ascii: "-") { index += 1 }
    let digits = index
    try requireDigits()
    if bytes[digits] == UInt8(ascii: "0"), index - digits > 1 {
      throw failure("a number must not have leading zeros", at: start)
    }
    var isWhole = true
    if current == UInt8(ascii: ".") {
      isWhole = false
      index += 1
      try requireDigits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      isWhole = false
      index += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
      try requireDigits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isWhole, let value = Int(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else {
      throw failure("the number \(text.prefix(40)) is out of range", at: start)
    }
    return .number(value)
  }

  private mutating func requireDigits() throws(JSONSyntaxError) {
    let start = index
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    if index == start { throw failure("unexpected \(found), expected a digit") }
  }

  // MARK: Strings

  private mutating func string() throws(JSONSyntaxError) -> String {
    let opening = index
    index += 1
    let start = index
    while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      index += 1
    }
    if current == UInt8(ascii: "\"") {
      defer { index += 1 }
      return try utf8(UnsafeBufferPointer(rebasing: bytes[start..<index]), at: opening)
    }
    return try escapedString(from: start, opening: opening)
  }

  /// The slow path, for strings with escapes (or errors) in them.
  private mutating func escapedString(from start: Int, opening: Int) throws(JSONSyntaxError)
    -> String
  {
    var content = Array(bytes[start..<index])
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return try content.withUnsafeBufferPointer { storage in
          Result { () throws(JSONSyntaxError) in try utf8(storage, at: opening) }
        }.get()
      case UInt8(ascii: "\\"):
        index += 1
        try escape(into: &content)
      case 0..<0x20:
        throw SyntaxDiagnosis(bytes, at: index).unclosedString(from: opening).map(failure)
          ?? failure("a line break or control character stands inside a string")
      default:
        content.append(byte)
        index += 1
      }
    }
    throw failure("the string that begins here has no closing quote", at: opening)
  }

  private func utf8(_ content: UnsafeBufferPointer<UInt8>, at opening: Int)
    throws(JSONSyntaxError) -> String
  {
    // Nearly all strings are ASCII, and for them there is a shorter path.
    if content.allSatisfy({ $0 < 0x80 }) {
      return String(unsafeUninitializedCapacity: content.count) {
        $0.initialize(fromContentsOf: content)
      }
    }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw failure("the string that begins here is not UTF-8", at: opening)
    }
    guard text.isStreamSafe else {
      throw failure(
        "the string that begins here has more than \(TextLimits.marksInARow) combining marks in a row",
        at: opening)
    }
    return text
  }

  private mutating func escape(into content: inout [UInt8]) throws(JSONSyntaxError) {
    guard let byte = current else { throw failure("the text ends inside an escape") }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"):
      index += 1
      content.append(contentsOf: String(try unicodeEscape()).utf8)
      return
    default: throw failure("unknown escape: \\ before \(found)")
    }
    index += 1
  }

  private mutating func unicodeEscape() throws(JSONSyntaxError) -> UnicodeScalar {
    let first = try fourHexDigits()
    if let scalar = UnicodeScalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first), current == UInt8(ascii: "\\") else {
      throw failure("a \\u escape is half of a surrogate pair")
    }
    index += 1
    guard current == UInt8(ascii: "u") else {
      throw failure("a \\u escape is half of a surrogate pair")
    }
    index += 1
    let second = try fourHexDigits()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw failure("a \\u escape is half of a surrogate pair") }
    return scalar
  }

  private mutating func fourHexDigits() throws(JSONSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Hexadecimal.value(byte) else {
        throw failure("unexpected \(found), expected four hexadecimal digits after \\u")
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }

  // MARK: Errors

  private var found: String { SyntaxDiagnosis(bytes, at: index).found }

  private func unexpected(_ expectation: SyntaxExpectation) -> JSONSyntaxError {
    failure(SyntaxDiagnosis(bytes, at: index).finding(expecting: expectation))
  }

  private func failure(_ finding: SyntaxDiagnosis.Finding) -> JSONSyntaxError {
    JSONSyntaxError(
      message: finding.message, position: Self.position(of: finding.offset, in: bytes),
      mistake: finding.mistake)
  }

  func failure(_ message: String, at offset: Int? = nil) -> JSONSyntaxError {
    JSONSyntaxError(
      message: message, position: Self.position(of: offset ?? index, in: bytes), mistake: .other)
  }

  /// Line and column of a byte offset.
  static func position(of offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> TextPosition {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return TextPosition(line: line, column: column)
  }
}
