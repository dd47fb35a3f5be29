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

  /// The slow road, for strings with escapes (or errors) in them.
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
    // Nearly all strings are ASCII, and for them there is a shorter road.
    if content.allSatisfy({ $0 < 0x80 }) {
      return String(unsafeUninitializedCapacity: content.count) {
        $0.initialize(fromContentsOf: content)
      }
    }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw failure("the string that begins here is not UTF-8", at: opening)
    }
    return text
  }

  private mutating func escape(into content: inout [UInt8]) throws(JSONSyntaxError) {
    guard let byte = current else { throw failure("the text ends inside an escape") }
    let plain: [UInt8: UInt8] = [
      UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F,
      UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
      UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]
    if let character = plain[byte] {
      content.append(character)
      index += 1
    } else if byte == UInt8(ascii: "u") {
      index += 1
      content.append(contentsOf: Array(String(Character(try unicodeEscape())).utf8))
    } else {
      throw failure("unknown escape \\\(found)")
    }
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
      guard let byte = current, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
        throw failure("unexpected \(found), expected four hexadecimal digits after \\u")
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}
