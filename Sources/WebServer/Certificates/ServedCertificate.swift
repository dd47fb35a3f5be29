import NIOSSL
import Synchronization

/// The certificate of a listener for new connections; open connections keep theirs.
package final class ServedCertificate: Sendable {
  private let served: Mutex<ServerCertificate>

  package init(_ certificate: ServerCertificate) { served = Mutex(certificate) }

  /// The certificate of the next connection.
  package var current: ServerCertificate { served.withLock { $0 } }

  /// Replaces the certificate for later connections.
  package func replace(with certificate: ServerCertificate) {
    served.withLock { $0 = certificate }
  }

  /// The TLS context of the next connection.
  var context: NIOSSLContext { current.context }
}

/// Renews the certificate of a listener while it runs.
package protocol CertificateUpdater: Sendable {
  /// Called with each new certificate and the fingerprint of the previous one.
  typealias UpdateHandler =
    @Sendable (_ certificate: ServerCertificate, _ previous: String) async -> Void

  /// Runs until the task is cancelled.
  func run() async
}
