/// The percent-encoding of URLs (RFC 3986, section 2.1).
package enum PercentEncoding {
  /// Returns the text with each byte that is not kept as `%2F`.
  ///
  /// - Parameter isKept: Whether an ASCII character stays as it is; false for all other bytes.
  package static func encode(
    _ text: some StringProtocol, uppercase: Bool = true,
    keeping isKept: (UInt8) -> Bool = isUnreserved
  ) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      if isKept(byte) {
        encoded.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        encoded += "%" + Hexadecimal.text(byte, uppercase: uppercase)
      }
    }
  }

  /// Returns the decoded text; `nil` if a `%` begins no code, or if the bytes are not UTF-8.
  package static func decode(_ text: some StringProtocol) -> String? {
    let (bytes, isExact) = decodedBytes(text)
    return isExact ? String(validating: bytes, as: UTF8.self) : nil
  }

  /// Returns the decoded text, with invalid codes left as they are and invalid UTF-8 repaired.
  package static func decodeLeniently(_ text: some StringProtocol) -> String {
    String(decoding: decodedBytes(text).bytes, as: UTF8.self)
  }

  /// Whether no URL needs the character encoded (RFC 3986, section 2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "~": true
    default: false
    }
  }

  /// The decoded bytes, and whether every `%` begins a code; one that does not stays as it is.
  private static func decodedBytes(
    _ text: some StringProtocol
  ) -> (bytes: [UInt8], isExact: Bool) {
    var bytes: [UInt8] = []
    var isExact = true
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else if let code = Hexadecimal.byte(rest.prefix(2)) {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
        isExact = false
      }
    }
    return (bytes, isExact)
  }
}
