// From values to text.

extension JSON {
  /// The compact text of this value, on one line.
  public func text() -> String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the compact text in UTF-8; it holds no line break, so a value is a line.
  ///
  /// JSON knows no infinity and no NaN: they are written as `null`. Strings are only
  /// escaped, never normalised or cut, even if `init(parsing:)` would refuse them: a password must not change.
  public func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): Self.append(value, to: &bytes)
    case .number(let value):
      if !value.isFinite {
        bytes.append(contentsOf: "null".utf8)
      } else if let whole = Int(exactly: value), abs(value) < 1e15 {
        Self.append(whole, to: &bytes)
      } else {
        bytes.append(contentsOf: value.description.utf8)
      }
    case .string(let value): Self.append(value, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      var first = true
      for (key, value) in members {
        if !first { bytes.append(UInt8(ascii: ",")) }
        first = false
        Self.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// The text on several lines, two spaces an indent, for people to read and edit.
  public func prettyText(indent: String = "") -> String {
    let deeper = indent + "  "
    switch self {
    case .array(let values) where !values.isEmpty:
      return "[\n"
        + values.map { deeper + $0.prettyText(indent: deeper) }.joined(separator: ",\n")
        + "\n\(indent)]"
    case .object(let members) where !members.isEmpty:
      return "{\n"
        + members.map { key, value in
          deeper + JSON.string(key).text() + ": " + value.prettyText(indent: deeper)
        }.joined(separator: ",\n") + "\n\(indent)}"
    default: return text()
    }
  }

  /// The text on one line with a space after each colon and comma, for people to read and edit.
  public func lineText() -> String {
    switch self {
    case .array(let values): "[" + values.map { $0.lineText() }.joined(separator: ", ") + "]"
    case .object(let members):
      "{"
        + members.map { key, value in "\(JSON.string(key).text()): \(value.lineText())" }
        .joined(separator: ", ") + "}"
    default: text()
    }
  }

  private static func append(_ value: Int, to bytes: inout [UInt8]) {
    var magnitude = value.magnitude
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10))
      magnitude /= 10
    } while magnitude > 0
    bytes[start...].reverse()
  }

  private static func append(_ value: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { text in
      // Nearly all strings need no escape, and are appended in one piece.
      if text.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }) {
        bytes.append(contentsOf: text)
      } else {
        for byte in text { append(escaping: byte, to: &bytes) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func append(escaping byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0..<0x20, 0x7F:
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(hexDigit(byte >> 4))
      bytes.append(hexDigit(byte & 15))
    default: bytes.append(byte)
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
