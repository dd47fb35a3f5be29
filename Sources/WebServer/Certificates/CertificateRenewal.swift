import Devices
import Foundation
import Logging

/// Shows the owner's certificate anew when its files change, as renewing programs do it every few
/// weeks: no signal has to be sent, nothing has to be started again.
///
/// The files are looked at, not watched: a link that points elsewhere, a file system of another
/// machine, a mode that was mended all show in the same way. A change counts when it has stayed for
/// a look, so certificate and key may be put in place one after the other. What is no good is said
/// once, and changes nothing.
package struct CertificateRenewal: CertificateKeeping {
  /// How often it looks.
  static let interval = Duration.seconds(5)

  private let certificate: String
  private let key: String
  private let shown: ShownCertificate
  private let clock: any TheaterClock
  private let logger: Logger
  private let news: News
  /// The files as they are shown.
  private let first: [FileMark?]

  /// - Parameters:
  ///   - certificate: The path of the file with the certificate and those that vouch for it.
  ///   - key: The path of the file with its key.
  ///   - shown: What a listener shows, read from these files.
  ///   - news: Told of each new one.
  package init(
    certificate: String, key: String, shown: ShownCertificate,
    clock: any TheaterClock = SystemClock(), logger: Logger,
    news: @escaping News = { _, _ in }
  ) {
    self.certificate = certificate
    self.key = key
    self.shown = shown
    self.clock = clock
    self.logger = logger
    self.news = news
    first = [FileMark(certificate), FileMark(key)]
  }

  package func run() async {
    var known = first
    var last = known
    while (try? await clock.sleep(until: clock.now() + Self.interval)) != nil {
      let now = marks()
      if now != known, now == last {
        known = now
        await renew()
      }
      last = now
    }
  }

  private func renew() async {
    do throws(CertificateError) {
      let new = try CertificateFiles.owners(certificate: certificate, key: key)
      if new.standing() == .notValid {
        throw CertificateError(
          "\(certificate) is not valid now", hint: "Renew it, or set the clock of this machine.")
      }
      let before = shown.current.fingerprint
      shown.show(new)
      logger.notice(
        "the certificate was read anew, valid until \(new.lastDay): SHA-256 \(new.fingerprint)")
      if new.fingerprint != before { await news(new, before) }
    } catch {
      logger.warning(
        """
        the new certificate is not used: \(error.message). \(error.hint) \
        The one from before is shown on, valid until \(shown.current.lastDay).
        """)
    }
  }

  private func marks() -> [FileMark?] { [FileMark(certificate), FileMark(key)] }
}

/// What tells one state of a file from another, without reading it.
private struct FileMark: Hashable {
  private static let telling: [FileAttributeKey] = [
    .systemNumber, .systemFileNumber, .size, .posixPermissions, .ownerAccountID,
    .groupOwnerAccountID,
  ]
  private let facts: [String]
  /// Seconds, to the microsecond.
  private let written: TimeInterval?

  /// `nil` where there is no such file.
  init?(_ path: String) {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let found = try? FileManager.default.attributesOfItem(atPath: file) else { return nil }
    facts = Self.telling.map { found[$0].map { "\($0)" } ?? "" }
    written = (found[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate
  }
}
