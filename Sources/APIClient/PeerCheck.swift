import Crypto
import NIOCore
import NIOSSL
import TheaterAPI

/// The check of a new connection, before its first request: requests carry passwords and tokens.
package enum PeerCheck: Sendable, Hashable {
  /// Accepts processes of this machine: at a Unix socket those of this user, at a port any.
  case thisMachine
  /// Accepts only the certificate with this fingerprint. With `nil` every certificate is rejected, and the error
  /// reports the fingerprint that was found.
  ///
  /// Authorities, names and dates of a certificate do not matter: most controllers sign theirs themselves. In the
  /// handshake the peer has proved that it has the certificate's key.
  case certificate(CertificateFingerprint?)

  /// The certificate is not the expected one.
  struct OtherCertificate: Error {
    let found: CertificateFingerprint
    let confirmed: CertificateFingerprint?
  }

  /// Checks a connection. Completes at once on the channel's event loop.
  func check(_ channel: any Channel) -> EventLoopFuture<Void> {
    switch self {
    case .thisMachine:
      // A closed connection has no address, and takes no request.
      guard channel.remoteAddress?.isOfThisMachine ?? true else {
        return channel.eventLoop.makeFailedFuture(
          ControllerConnectionError.untrusted(
            reason:
              "its address \(channel.remoteAddress?.ipAddress ?? "") is not one of this machine, "
              + "and without TLS everyone on the way could read passwords and tokens",
            hint: "Use https://."))
      }
      return SocketOwnership.checkPeer(of: channel)
    case .certificate(let confirmed):
      return channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
        guard let certificate else { throw NIOSSLError.noCertificateToValidate }
        let found = CertificateFingerprint(
          digest: SHA256.hash(data: try certificate.toDERBytes()))
        guard found == confirmed else {
          throw OtherCertificate(found: found, confirmed: confirmed)
        }
      }
    }
  }

  /// The settings of TLS: version 1.2 or 1.3. `check` compares the certificate.
  static var tlsConfiguration: TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.certificateVerification = .none
    return configuration
  }
}

extension SocketAddress {
  /// Whether only this machine has the address: a Unix socket, 127.0.0.0/8 or ::1.
  fileprivate var isOfThisMachine: Bool {
    guard let ipAddress else { return true }
    return ipAddress.hasPrefix("127.") || ipAddress == "::1"
  }
}
