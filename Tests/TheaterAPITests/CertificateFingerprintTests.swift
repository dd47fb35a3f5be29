import TheaterAPI
import Testing

@Suite struct CertificateFingerprintTests {
  private static let shown = (0..<32).map {
    $0 < 16
      ? "0\(String($0, radix: 16).uppercased())" : "1\(String($0 - 16, radix: 16).uppercased())"
  }
  .joined(separator: ":")

  @Test("shows a fingerprint as browsers and OpenSSL do")
  func shown() {
    #expect(CertificateFingerprint(digest: (0..<32).map { UInt8($0) }).description == Self.shown)
  }

  @Test("reads a fingerprint in each form in which people copy it")
  func read() throws {
    let digest = CertificateFingerprint(digest: (0..<32).map { UInt8($0) })
    for text in [
      Self.shown, Self.shown.lowercased(), Self.shown.replacing(":", with: ""),
      Self.shown.replacing(":", with: " "), "SHA-256 \(Self.shown)",
      "sha256 Fingerprint=\(Self.shown)", "SHA256:\(Self.shown)",
    ] {
      #expect(CertificateFingerprint(text) == digest, "\(text)")
    }
  }

  @Test("reads nothing but 32 whole bytes")
  func refused() {
    let hex = Self.shown.replacing(":", with: "")
    for text in [
      "", "yes", String(hex.dropLast()), String(hex.dropLast(2)), hex + "0", hex + "00",
      "0:" + hex.dropFirst(), hex.replacing("0A", with: "0G"), "-" + hex.dropFirst(),
      String(repeating: "0", count: 100_000), "٠" + hex.dropFirst(),
    ] {
      #expect(CertificateFingerprint(text) == nil, "\(text.prefix(80))")
    }
  }
}
