import Crypto
import Foundation
import SwiftASN1
import X509

/// Creates self-signed certificates. At the first connection a person compares the fingerprint with the
/// one on the console.
enum SelfSigned {
  /// The validity, in days: the longest that iOS and macOS accept.
  static let days = 825.0
  /// The number of days before expiry at which a certificate is replaced.
  static let renewalDays = 30.0

  /// Returns a P-256 key and a certificate for `names` in one PEM text, the key first.
  ///
  /// - Parameter names: DNS names and addresses.
  static func make(for names: Set<String>, at date: Date) throws -> String {
    let key = P256.Signing.PrivateKey()
    let sorted = names.sorted()
    let name = try DistinguishedName { CommonName("Home theater") }
    let alternatives = sorted.map { name -> GeneralName in
      AddressText.bytes(of: name).map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) }
        ?? .dnsName(name)
    }
    let certificate = try Certificate(
      version: .v3,
      serialNumber: Certificate.SerialNumber(),
      publicKey: .init(key.publicKey),
      // The clocks of the devices in a household differ.
      notValidBefore: date.addingTimeInterval(-86_400),
      notValidAfter: date.addingTimeInterval((days - 1) * 86_400),
      issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        SubjectAlternativeNames(alternatives)
      },
      issuerPrivateKey: .init(key))
    let pem = try certificate.serializeAsPEM().pemString
    return "\(key.pemRepresentation)\n\(pem)\n"
  }
}
