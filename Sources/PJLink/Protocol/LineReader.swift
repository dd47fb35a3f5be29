/// A parser that splits received bytes into the lines of PJLink, which end with a carriage return. Some projectors end
/// them with CR and LF, or with LF alone.
struct LineReader {
  /// The largest size of a line in bytes, with its end: `%`, the class, four letters, a separator, a parameter of 128
  /// bytes and the carriage return.
  static let longestLine = 136

  enum Line: Equatable {
    /// A line without its end. U+FFFD replaces invalid UTF-8.
    case text(String)
    /// A line above ``longestLine``, whose text is dropped.
    case oversized
  }

  private var bytes: [UInt8] = []
  private var isOversized = false

  /// Adds received bytes, and returns the lines that are complete now, in order. Keeps at most ``longestLine`` bytes.
  mutating func append(_ received: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in received {
      if byte == UInt8(ascii: "\n"), bytes.isEmpty, !isOversized { continue }
      if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") {
        lines.append(isOversized ? .oversized : .text(String(decoding: bytes, as: UTF8.self)))
        bytes = []
        isOversized = false
      } else if bytes.count < Self.longestLine - 1 {
        bytes.append(byte)
      } else {
        isOversized = true
      }
    }
    return lines
  }
}
