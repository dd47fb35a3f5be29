import Accounts
import Logging
import Platform

/// Replaces the self-signed certificate before it expires. Open connections keep the old one. A
/// failure is logged once and retried at every check.
package struct OwnRenewal: CertificateKeeping {
  /// The interval of the checks: short, because a wrong clock may be corrected at any time.
  static let interval = Duration.seconds(60)

  private let path: String
  private let names: Set<String>
  private let more: @Sendable () -> Set<String>
  private let shown: ShownCertificate
  private let clock: any TheaterClock
  private let day: WallClock
  private let logger: Logger
  private let news: News

  /// - Parameters:
  ///   - path: The file that holds it, with its key.
  ///   - names: The names under which people reach the controller.
  ///   - more: Returns the current names and addresses of this machine.
  ///   - shown: The certificate of the listener, read from this file.
  ///   - clock: For the interval of the checks.
  ///   - day: For the validity of certificates.
  ///   - news: Called with each new certificate.
  package init(
    path: String, names: Set<String>, more: @escaping @Sendable () -> Set<String>,
    shown: ShownCertificate, clock: any TheaterClock = SystemClock(), day: WallClock = .system,
    logger: Logger, news: @escaping News = { _, _ in }
  ) {
    self.path = path
    self.names = names
    self.more = more
    self.shown = shown
    self.clock = clock
    self.day = day
    self.logger = logger
    self.news = news
  }

  /// Checks the certificate until its task is cancelled.
  package func run() async {
    var problem: CertificateError?
    while (try? await clock.sleep(for: Self.interval)) != nil {
      guard shown.current.isToBeRenewed(at: day.now()) else { continue }
      do throws(CertificateError) {
        try await renew()
        problem = nil
      } catch {
        if problem != error { warn(of: error) }
        problem = error
      }
    }
  }

  private func renew() async throws(CertificateError) {
    let before = shown.current.fingerprint
    let new = try CertificateFiles.own(at: path, for: names, and: more(), now: day.now())
      .certificate
    shown.show(new)
    logger.notice(
      """
      the theater's certificate was near its end and is made anew, valid until \(new.lastDay): \
      SHA-256 \(new.fingerprint) (until now \(before)). Browsers ask again: compare it then.
      """)
    await news(new, before)
  }

  private func warn(of error: CertificateError) {
    logger.warning(
      """
      the theater's certificate cannot be made anew: \(error.message). \(error.hint) \
      The one from before is shown on, valid until \(shown.current.lastDay).
      """)
  }
}
