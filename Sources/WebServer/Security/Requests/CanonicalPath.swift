import JSON

/// The one form of a path. Whoever may pass is decided by comparing it with the routes', so it must
/// not be readable in two ways, here or by anything in between.
enum CanonicalPath {
  /// Whether `path` has that form: parts of RFC 3986's characters, none of them empty, `.` or `..`;
  /// nothing encoded that need not be, and nothing that must not be there at all, such as more
  /// than 30 combining marks in a row.
  static func holds(_ path: String) -> Bool {
    // Characters beyond ASCII must be encoded; splitting a text with them compares characters.
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ $0 < 0x80 }) else {
      return false
    }
    if path == "/" { return true }
    return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .allSatisfy(isPart)
  }

  private static func isPart(_ part: Substring) -> Bool {
    guard !part.isEmpty, part != ".", part != "..", part.utf8.allSatisfy(mayStandInPart) else {
      return false
    }
    guard part.utf8.contains(UInt8(ascii: "%")) else { return true }
    guard !encodesUnreserved(part), let plain = String(part).removingURLPercentEncoding() else {
      return false
    }
    return plain.isStreamSafe
      && !plain.unicodeScalars.contains {
        $0 == "/" || $0 == "\\" || $0.properties.generalCategory == .control
      }
  }

  /// RFC 3986, `pchar`, without `;`: parameters of a part are read by some and passed over by others.
  private static func mayStandInPart(_ byte: UInt8) -> Bool {
    if isUnreserved(byte) { return true }
    switch UnicodeScalar(byte) {
    case "%", "!", "$", "&", "'", "(", ")", "*", "+", ",", "=", ":", "@": return true
    default: return false
    }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }

  /// Whether something is encoded that stands for itself: `%2e`, `%61` (RFC 3986, section 6.2.2.2).
  private static func encodesUnreserved(_ part: Substring) -> Bool {
    var rest = part.utf8[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      let digits = rest[percent...].dropFirst().prefix(2)
      if let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), isUnreserved(byte) {
        return true
      }
      rest = rest[percent...].dropFirst()
    }
    return false
  }
}
