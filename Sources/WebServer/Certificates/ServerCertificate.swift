import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import TheaterAPI
import X509

/// A certificate with its key.
package struct ServerCertificate: Sendable {
  /// SHA-256 over the certificate, as browsers and `openssl x509 -fingerprint -sha256` show it:
  /// `AB:CD:…`.
  package let fingerprint: String
  let validFrom: Date
  let expires: Date
  /// The DNS names and addresses that it covers.
  package let names: Set<String>
  /// Whether the owner provided it; otherwise the controller created it.
  package let isOwners: Bool

  /// The context of new connections: TLS 1.2 or 1.3.
  let context: NIOSSLContext

  /// Reads PEM texts.
  ///
  /// - Parameter path: The file of the certificate, for messages.
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
    fingerprint = CertificateFingerprint(digest: SHA256.hash(data: der)).description
    validFrom = certificate.notValidBefore
    expires = certificate.notValidAfter
    names = Set(
      ((try? certificate.extensions.subjectAlternativeNames) ?? nil)?.compactMap(\.plainName) ?? [])
    self.isOwners = isOwners
    context = try Self.context(chain, key)
  }

  /// - Throws: If the key is invalid or belongs to another certificate.
  private static func context(
    _ chain: [UInt8], _ key: [UInt8]
  ) throws(CertificateError) -> NIOSSLContext {
    do {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMBytes(chain).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
      configuration.minimumTLSVersion = .tlsv12
      // In TLS 1.2 only what 1.3 has too: ephemeral keys and authenticated encryption.
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

  /// Its validity at a time.
  package enum Validity: Sendable, Hashable {
    case good
    /// It expires within two weeks.
    case endsSoon
    /// It has expired, or is not valid yet.
    case notValid
  }

  /// Returns whether the certificate is valid at a time, and whether it expires within 14 days.
  package func validity(at date: Date = Date()) -> Validity {
    guard validFrom <= date, date < expires else { return .notValid }
    return expires.timeIntervalSince(date) < 14 * 86_400 ? .endsSoon : .good
  }

  /// Whether the controller should replace it, if it is self-signed.
  func isToBeRenewed(at date: Date) -> Bool {
    validity(at: date) == .notValid
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

/// Why a certificate cannot be used or created.
package struct CertificateError: Error, Sendable, Hashable {
  /// The description of the failure, without any part of the key.
  package let message: String
  /// The next action.
  package let hint: String

  init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }
}
