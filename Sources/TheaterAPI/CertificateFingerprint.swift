import JSON

/// The SHA-256 of a TLS certificate in DER form, by which people compare certificates.
package struct CertificateFingerprint: Sendable, Hashable, CustomStringConvertible {
  /// 32 bytes.
  private let digest: [UInt8]

  /// - Parameter digest: The 32 bytes of the SHA-256.
  package init(digest: some Sequence<UInt8>) { self.digest = Array(digest) }

  /// Reads a fingerprint as people copy it: 64 hexadecimal digits in any case, in pairs or not, also after the words
  /// of a console or of `openssl x509 -fingerprint -sha256`. Returns `nil` for any other text.
  package init?(_ text: String) {
    var digits = text.lowercased()[...]
    for label in ["sha256 fingerprint=", "sha-256", "sha256"] where digits.hasPrefix(label) {
      digits = digits.dropFirst(label.count)
      break
    }
    var digest: [UInt8] = []
    var high: UInt8?
    for byte in digits.utf8 {
      if byte == UInt8(ascii: ":") || byte == UInt8(ascii: " ") {
        guard high == nil else { return nil }
        continue
      }
      guard let value = Hexadecimal.value(byte), digest.count < 32 else { return nil }
      if let first = high {
        digest.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    guard digest.count == 32, high == nil else { return nil }
    self.digest = digest
  }

  /// The fingerprint as browsers and OpenSSL show it: `AB:CD:…`.
  package var description: String {
    digest.map { Hexadecimal.text($0, uppercase: true) }.joined(separator: ":")
  }
}
