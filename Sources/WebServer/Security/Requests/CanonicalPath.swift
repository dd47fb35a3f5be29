import JSON

/// The canonical form of a path. Any other form is refused, so that the controller, a proxy and a
/// browser never read the same path differently.
enum CanonicalPath {
  /// Whether `path` is canonical: its parts have the characters of RFC 3986 and none is empty, `.` or
  /// `..`; nothing is percent-encoded needlessly; and no encoded slash, control character or sequence of
  /// more than 30 combining marks is in it.
  static func matches(_ path: String) -> Bool {
    // Characters beyond ASCII must be encoded. Checked first, because `split` compares characters.
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
    guard !encodesUnreserved(part), let plain = PercentEncoding.decode(part) else {
      return false
    }
    return plain.isStreamSafe
      && !plain.unicodeScalars.contains {
        $0 == "/" || $0 == "\\" || $0.properties.generalCategory == .control
      }
  }

  /// RFC 3986, `pchar`, without `;`: some programs treat what follows it as a parameter.
  private static func mayStandInPart(_ byte: UInt8) -> Bool {
    if PercentEncoding.isUnreserved(byte) { return true }
    switch UnicodeScalar(byte) {
    case "%", "!", "$", "&", "'", "(", ")", "*", "+", ",", "=", ":", "@": return true
    default: return false
    }
  }

  /// Whether an unreserved character is encoded: `%2e`, `%61` (RFC 3986, section 6.2.2.2).
  private static func encodesUnreserved(_ part: Substring) -> Bool {
    var rest = part.utf8[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      let digits = rest[percent...].dropFirst().prefix(2)
      if Hexadecimal.byte(digits).map(PercentEncoding.isUnreserved) == true { return true }
      rest = rest[percent...].dropFirst()
    }
    return false
  }
}
