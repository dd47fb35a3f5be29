/// A check of the bytes that an RTSP server sends (RFC 2326): no answer may be a redirect, which libav would follow to
/// any server.
///
/// What libav could read in another way is refused too.
struct RTSPFilter {
  private static let longestLine = 2_048
  private static let mostLines = 100

  /// The line of an answer's head that is being read.
  private var line: [UInt8] = []
  /// The number of lines of this head so far.
  private var lines = 0
  /// The bytes of the body behind this head.
  private var bodyLength = 0
  /// The beginning of a packet of sound or picture behind its `$`: channel and length; nil outside of one.
  private var packet: [UInt8]?
  /// The bytes of a body or a packet that are still to come.
  private var skipped = 0

  /// Returns whether the next bytes may be passed on.
  mutating func allows(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while let byte = rest.first {
      if skipped > 0 {
        let count = min(skipped, rest.count)
        skipped -= count
        rest = rest.dropFirst(count)
        continue
      }
      rest = rest.dropFirst()
      guard allows(byte) else { return false }
    }
    return true
  }

  private mutating func allows(_ byte: UInt8) -> Bool {
    if var begun = packet {
      begun.append(byte)
      packet = begun.count < 3 ? begun : nil
      if begun.count == 3 { skipped = Int(begun[1]) << 8 | Int(begun[2]) }
      return true
    }
    if byte == UInt8(ascii: "$"), line.isEmpty {
      packet = []
      return lines == 0
    }
    if byte == 0x0A { return endLine() }
    line.append(byte)
    return line.count <= Self.longestLine && (byte >= 0x20 || byte == 0x09 || byte == 0x0D)
  }

  private mutating func endLine() -> Bool {
    let text = String(decoding: line.filter { $0 != 0x0D }, as: UTF8.self)
    line = []
    if text.isEmpty {
      skipped = bodyLength
      (lines, bodyLength) = (0, 0)
      return true
    }
    lines += 1
    guard lines <= Self.mostLines else { return false }
    if lines == 1 {
      let words = text.split { $0 == " " || $0 == "\t" }
      guard words.first?.hasPrefix("RTSP/") == true else { return true }
      guard words.count > 1, words[1].utf8.count == 3, let status = Int(words[1]) else {
        return false
      }
      return !(300..<400).contains(status)
    }
    let name = "content-length:"
    guard text.lowercased().hasPrefix(name) else { return true }
    guard let length = Int(text.dropFirst(name.count).drop { $0 == " " }),
      (0...1_000_000).contains(length)
    else { return false }
    bodyLength = length
    return true
  }
}
