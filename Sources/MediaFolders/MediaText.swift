import Glibc
import JSON

/// Conversion of texts from media files, file systems and stations to one safe line, before they are
/// compared or hashed.
package enum MediaText {
  /// The longest title, artist or album, and the longest text of a station, bytes in UTF-8.
  package static let longestTag = 300
  /// The longest path or name in a message, bytes in UTF-8.
  package static let longestSubject = 400

  /// Returns a C string as one line of at most `limit` bytes. See ``line(_:maximumBytes:)``.
  package static func line(_ text: UnsafePointer<CChar>, maximumBytes limit: Int = longestTag)
    -> String
  {
    let raw = UnsafeRawBufferPointer(start: text, count: strnlen(text, 4 * limit + 1))
    return line(raw, maximumBytes: limit)
  }

  /// Returns bytes as one line of at most `limit` bytes: read as UTF-8 where they are valid, else as
  /// Latin-1, which old taggers and stations still send. Cyrillic text that only looks like Latin-1 is repaired
  /// (see ``CyrillicText``).
  ///
  /// Only the first `4 * limit` bytes are read, so that a very long tag takes no time.
  package static func line(_ bytes: some Collection<UInt8>, maximumBytes limit: Int = longestTag)
    -> String
  {
    var kept = Array(bytes.prefix(4 * limit))
    if bytes.count > kept.count { dropIncompleteCharacter(&kept) }
    return text(kept).boundedLine(maximumBytes: limit)
  }

  private static func text(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) {
      return CyrillicText.repaired(text) ?? text
    }
    return CyrillicText.decoded(bytes)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Removes a last character of several bytes, because some of its bytes may have been cut off.
  private static func dropIncompleteCharacter(_ bytes: inout [UInt8]) {
    let tail = bytes.suffix(4)
    guard let lead = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[lead] >= 0xC0 else {
      return
    }
    bytes.removeSubrange(lead...)
  }
}
