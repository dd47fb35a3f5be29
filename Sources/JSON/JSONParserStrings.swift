// Strings, with their escapes.

extension JSONParser {
  mutating func string() throws(JSONSyntaxError) -> String {
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
      case 0..<0x20: throw failure("a line break or control character stands inside a string")
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
    default: throw failure("unknown escape \\\(found)")
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
      guard let byte = current, let digit = Self.hexDigit(byte) else {
        throw failure("unexpected \(found), expected four hexadecimal digits after \\u")
      }
      value = value << 4 | digit
      index += 1
    }
    return value
  }

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
