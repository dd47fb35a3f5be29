import Devices
import Logging
import PluginProtocol
import Synchronization

/// Takes what a plugin tells to the device that it speaks of, on the connection's thread.
final class Router: Sendable {
  private struct Weak: Sendable { weak var session: PluginSession? }

  private let proxies: [DeviceID: DeviceProxy]
  private let logger: Logger
  private let session = Mutex(Weak())

  init(proxies: [DeviceID: DeviceProxy], logger: Logger) {
    self.proxies = proxies
    self.logger = logger
  }

  /// Says whose events these are.
  func connect(_ session: PluginSession) { self.session.withLock { $0.session = session } }

  /// Takes an event, or gives back what the supervision must know.
  func route(_ event: PluginSession.Event) -> Supervision.Input? {
    switch event {
    case .state(let report):
      guard let proxy = proxies[report.device], let session = session.withLock({ $0.session })
      else {
        return .badLine("a report of the device \"\(report.device)\", which is not open here")
      }
      proxy.report(report, in: session)
      return nil
    case .log(let log):
      write(log)
      return nil
    case .badLine(let what): return .badLine(what)
    case .closed: return .outputEnded
    }
  }

  private func write(_ log: LogNotification) {
    let level: Logger.Level =
      switch log.level {
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
    let text = StderrLog.safe(Array(log.message.utf8.prefix(2000)))
    logger.log(level: level, "\(log.device.map { "\($0): " } ?? "")\(text)")
  }
}
