import Crypto
import Foundation
import SwiftASN1
import X509

/// Certificates that the controller makes itself. No authority vouches for them: who connects for
/// the first time compares the fingerprint with the one that the console shows.
enum SelfSigned {
  /// For how long one is good: what iOS and macOS accept at most.
  static let days = 825.0
  /// So long before its end a new one is made.
  static let renewalDays = 30.0

  /// A key (P-256) and a certificate for `names`, both in one PEM text, the key first.
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
      // Clocks of a household differ.
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
