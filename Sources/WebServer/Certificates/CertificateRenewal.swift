import Foundation
import Logging
import Platform

/// Reloads the owner's certificate when its files change, without a restart or signal.
///
/// The files are polled: that also notices changed links, network file systems and repaired modes. A
/// change takes effect when two polls in a row see it, so that certificate and key may be replaced one
/// after the other. An unusable certificate is logged once; the old one stays. One that is not valid at the
/// present time is tried again, because the machine's clock may be set.
package struct CertificateRenewal: CertificateUpdater {
  /// The polling interval.
  static let interval = Duration.seconds(5)

  private let certificate: String
  private let key: String
  private let served: ServedCertificate
  private let clock: any TheaterClock
  private let date: @Sendable () -> Date
  private let logger: Logger
  private let onUpdate: UpdateHandler
  /// The files of the certificate in use.
  private let first: [FileMark?]

  /// - Parameters:
  ///   - certificate: The path of the file with the certificate and its intermediates.
  ///   - key: The path of the file with its key.
  ///   - served: The certificate of the listener, read from these files.
  ///   - date: The present time, which decides whether a certificate is valid.
  ///   - onUpdate: Called with each new certificate.
  package init(
    certificate: String, key: String, served: ServedCertificate,
    clock: any TheaterClock = SystemClock(), date: @escaping @Sendable () -> Date = { Date() },
    logger: Logger,
    onUpdate: @escaping UpdateHandler = { _, _ in }
  ) {
    self.certificate = certificate
    self.key = key
    self.served = served
    self.clock = clock
    self.date = date
    self.logger = logger
    self.onUpdate = onUpdate
    first = [FileMark(certificate), FileMark(key)]
  }

  /// Looks at the files until its task is cancelled.
  package func run() async {
    var known = first
    var last = known
    var waiting: ServerCertificate?
    while (try? await clock.sleep(for: Self.interval)) != nil {
      let now = marks()
      if now != known, now == last {
        known = now
        waiting = await renew()
      } else if now == known, let certificate = waiting, isValid(certificate) {
        waiting = nil
        await install(certificate)
      }
      last = now
    }
  }

  private func isValid(_ certificate: ServerCertificate) -> Bool {
    certificate.validity(at: date()) != .notValid
  }

  /// Reads the files, and shows their certificate.
  ///
  /// - Returns: The certificate if it is not valid at the present time.
  private func renew() async -> ServerCertificate? {
    do throws(CertificateError) {
      let new = try CertificateFiles.loadOwners(certificate: certificate, key: key)
      guard isValid(new) else {
        warn(
          "\(certificate) is not valid now", hint: "Renew it, or set the clock of this machine.")
        return new
      }
      await install(new)
    } catch {
      warn(error.message, hint: error.hint)
    }
    return nil
  }

  private func install(_ new: ServerCertificate) async {
    let previous = served.current.fingerprint
    served.replace(with: new)
    logger.notice(
      "the certificate was reloaded, valid until \(new.lastDay): SHA-256 \(new.fingerprint)")
    if new.fingerprint != previous { await onUpdate(new, previous) }
  }

  private func warn(_ message: String, hint: String) {
    logger.warning(
      """
      the new certificate is not used: \(message). \(hint) \
      The previous certificate stays in use, valid until \(served.current.lastDay).
      """)
  }

  private func marks() -> [FileMark?] { [FileMark(certificate), FileMark(key)] }
}

/// Attributes of a file that change when it is replaced or edited.
private struct FileMark: Hashable {
  private static let telling: [FileAttributeKey] = [
    .systemNumber, .systemFileNumber, .size, .posixPermissions, .ownerAccountID,
    .groupOwnerAccountID,
  ]
  private let facts: [String]
  /// Seconds, to the microsecond.
  private let written: TimeInterval?

  /// `nil` if there is no such file.
  init?(_ path: String) {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let found = try? FileManager.default.attributesOfItem(atPath: file) else { return nil }
    facts = Self.telling.map { found[$0].map { "\($0)" } ?? "" }
    written = (found[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate
  }
}
