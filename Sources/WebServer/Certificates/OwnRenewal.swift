import Accounts
import Foundation
import Logging
import Platform

/// The renewal of the self-signed certificate before it expires. Open connections keep the old one.
/// A failed renewal is retried at every check, and logged if its error differs from the last one.
package struct OwnRenewal: CertificateUpdater {
  /// The interval of the checks: short, because a wrong clock may be corrected at any time.
  static let interval = Duration.seconds(60)

  private let path: String
  private let names: Set<String>
  private let additionalNames: @Sendable () -> Set<String>
  private let served: ServedCertificate
  private let clock: any TheaterClock
  private let wallClock: WallClock
  private let logger: Logger
  private let onUpdate: UpdateHandler

  /// - Parameters:
  ///   - path: The file of the certificate and its key.
  ///   - names: The names under which people reach the controller.
  ///   - additionalNames: Returns the current names and addresses of this machine.
  ///   - served: The certificate of the listener, read from this file.
  ///   - clock: For the interval of the checks.
  ///   - wallClock: For the validity of certificates.
  ///   - onUpdate: Called with each new certificate.
  package init(
    path: String, names: Set<String>, additionalNames: @escaping @Sendable () -> Set<String>,
    served: ServedCertificate, clock: any TheaterClock = SystemClock(),
    wallClock: WallClock = .system, logger: Logger,
    onUpdate: @escaping UpdateHandler = { _, _ in }
  ) {
    self.path = path
    self.names = names
    self.additionalNames = additionalNames
    self.served = served
    self.clock = clock
    self.wallClock = wallClock
    self.logger = logger
    self.onUpdate = onUpdate
  }

  /// Checks the certificate until its task is cancelled.
  package func run() async {
    var problem: CertificateError?
    while (try? await clock.sleep(for: Self.interval)) != nil {
      let now = wallClock.now()
      guard served.current.isToBeRenewed(at: now) else { continue }
      do throws(CertificateError) {
        try await renew(at: now)
        problem = nil
      } catch {
        if problem != error { warn(of: error) }
        problem = error
      }
    }
  }

  /// Shows the certificate of the file if another process has replaced it, otherwise a new one.
  private func renew(at now: Date) async throws(CertificateError) {
    let previous = served.current.fingerprint
    let new = try CertificateFiles.loadOrCreate(
      at: path, names: names, additionalNames: additionalNames(), now: now
    ).certificate
    served.replace(with: new)
    logger.notice(
      """
      the theater's certificate was about to expire and has been replaced. The new one is valid \
      until \(new.lastDay): SHA-256 \(new.fingerprint) (until now \(previous)). Browsers ask \
      again: compare the fingerprint then.
      """)
    await onUpdate(new, previous)
  }

  private func warn(of error: CertificateError) {
    logger.warning(
      """
      the theater's certificate cannot be renewed: \(error.message). \(error.hint) \
      The previous certificate stays in use, valid until \(served.current.lastDay).
      """)
  }
}
