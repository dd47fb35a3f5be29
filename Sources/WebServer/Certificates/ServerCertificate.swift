import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate with its key, as a listener shows it.
package struct ServerCertificate: Sendable {
  /// SHA-256 over the certificate, as browsers and `openssl x509 -fingerprint -sha256` show it:
  /// `AB:CD:…`.
  package let fingerprint: String
  let validFrom: Date
  let expires: Date
  /// The names and addresses that it is for.
  package let names: Set<String>
  /// Whether the theater's owner brought it; else the controller made it itself.
  package let isOwners: Bool

  /// What connections are set up with: TLS 1.2 or 1.3.
  let context: NIOSSLContext

  /// Takes PEM texts apart.
  ///
  /// - Parameter path: Where the certificate comes from, for messages.
  init(chain: [UInt8], key: [UInt8], isOwners: Bool, path: String) throws(CertificateError) {
    let certificate: Certificate
    let der: [UInt8]
    do {
      let documents = try PEMDocument.parseMultiple(
        pemString: String(decoding: chain, as: UTF8.self))
      guard let first = documents.first(where: { $0.discriminator == "CERTIFICATE" }) else {
        throw ASN1Error.invalidPEMDocument(reason: "no certificate")
      }
      der = first.derBytes
      certificate = try Certificate(pemDocument: first)
    } catch {
      throw CertificateError(
        "\(path) holds no certificate in PEM form",
        hint: "It begins with -----BEGIN CERTIFICATE-----; the server's own comes first.")
    }
    fingerprint = SHA256.hash(data: der).map { String(format: "%02X", $0) }.joined(separator: ":")
    validFrom = certificate.notValidBefore
    expires = certificate.notValidAfter
    names = Set(
      ((try? certificate.extensions.subjectAlternativeNames) ?? nil)?.compactMap(\.plainName) ?? [])
    self.isOwners = isOwners
    context = try Self.context(chain, key)
  }

  /// - Throws: where the key is none, or not this certificate's.
  private static func context(
    _ chain: [UInt8], _ key: [UInt8]
  ) throws(CertificateError) -> NIOSSLContext {
    do {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMBytes(chain).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
      configuration.minimumTLSVersion = .tlsv12
      // Of TLS 1.2 what 1.3 has too: fresh keys for each connection, encryption that authenticates.
      configuration.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
      configuration.applicationProtocols = ["http/1.1"]
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw CertificateError(
        "the key does not fit the certificate, or is no key without a password in PEM form",
        hint: "Compare them: openssl x509 -pubkey -noout -in CERTIFICATE; "
          + "openssl pkey -pubout -in KEY")
    }
  }

  /// How it stands with its time.
  package enum Standing: Sendable, Hashable {
    case good
    /// It ends within two weeks.
    case endsSoon
    /// It has ended, or has not begun.
    case notValid
  }

  /// How it stands at `date`.
  package func standing(at date: Date = Date()) -> Standing {
    guard validFrom <= date, date < expires else { return .notValid }
    return expires.timeIntervalSince(date) < 14 * 86_400 ? .endsSoon : .good
  }

  /// Whether it is time to make another in its place, where the controller makes its own.
  func isToBeRenewed(at date: Date) -> Bool {
    standing(at: date) == .notValid
      || expires.timeIntervalSince(date) <= SelfSigned.renewalDays * 86_400
  }

  /// Its last day, in UTC: `2028-02-24`.
  package var lastDay: String { String(expires.ISO8601Format().prefix(10)) }
}

extension GeneralName {
  /// A DNS name, or an address as text.
  fileprivate var plainName: String? {
    switch self {
    case .dnsName(let name): return name
    case .ipAddress(let bytes): return AddressText.text(of: Array(bytes.bytes))
    default: return nil
    }
  }
}
