import NIOSSL
import Synchronization

/// The certificate that a listener shows to new connections; those that are open keep theirs.
package final class ShownCertificate: Sendable {
  private let shown: Mutex<ServerCertificate>

  package init(_ certificate: ServerCertificate) { shown = Mutex(certificate) }

  /// The one that is shown now.
  package var current: ServerCertificate { shown.withLock { $0 } }

  /// Shows another one from now on.
  package func show(_ certificate: ServerCertificate) { shown.withLock { $0 = certificate } }

  /// What the next connection is set up with.
  var context: NIOSSLContext { current.context }
}

/// What looks after the certificate that is shown, for as long as a listener runs.
package protocol CertificateKeeping: Sendable {
  /// Told of each certificate that takes another's place, with the fingerprint of that one.
  typealias News = @Sendable (_ shown: ServerCertificate, _ before: String) async -> Void

  /// Looks after it until the task is cancelled.
  func run() async
}
