/// Splits received bytes into the lines of PJLink, which end with a carriage return.
struct LineReader {
  /// The most bytes of a line with its end: `%`, class, four letters, a separator, a parameter of 128 bytes
  /// and the carriage return.
  static let longestLine = 136

  enum Line: Equatable {
    /// A line without its end. Bytes that are no UTF-8 are replaced.
    case text(String)
    /// A line beyond ``longestLine``, which is passed over.
    case oversized
  }

  private var bytes: [UInt8] = []
  private var isOversized = false

  /// Takes received bytes and returns the lines that they end, in order. Keeps at most
  /// ``longestLine`` bytes.
  mutating func append(_ received: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in received {
      if byte == UInt8(ascii: "\r") {
        lines.append(isOversized ? .oversized : .text(String(decoding: bytes, as: UTF8.self)))
        bytes = []
        isOversized = false
      } else if byte == UInt8(ascii: "\n"), bytes.isEmpty {
        // Some projectors end a line with CR and LF.
        continue
      } else if bytes.count < Self.longestLine - 1 {
        bytes.append(byte)
      } else {
        isOversized = true
      }
    }
    return lines
  }
}
