import Devices
import JSON
import Logging
import Platform
import PluginProtocol
import Synchronization

/// Dispatches a plugin's notifications to the devices that they name, on the connection's thread.
final class Router: Sendable {
  private struct State: Sendable {
    weak var session: PluginSession?
    var badLines = 0
    var logLimit = NotificationLimit(
      perSecond: ProtocolLimits.logsPerSecond, burst: ProtocolLimits.logBurst)
    var warning: String?
  }

  private let devices: DeviceTable
  private let clock: any TheaterClock
  private let log: PluginLog
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameter log: The lines that are shown with the plugin.
  init(devices: DeviceTable, clock: any TheaterClock, log: PluginLog, logger: Logger) {
    self.devices = devices
    self.clock = clock
    self.log = log
    self.logger = logger
  }

  /// The warning about dropped lines of the plugin's log, for its status.
  var warning: String? { state.withLock { $0.warning } }

  /// Sets the session that the events come from.
  func connect(_ session: PluginSession) { state.withLock { $0.session = session } }

  /// Handles an event. Returns the input for the supervision; `nil` if the event does not concern it.
  func route(_ event: PluginSession.Event) -> Supervision.Input? {
    switch event {
    case .state(let report):
      return route(to: report.device) { $0.receive(report, in: $1) }
    case .levels(let report):
      return route(to: report.device) { $0.receive(report, in: $1) }
    case .plugAgain(let request):
      return route(to: request.device) { $0.receivePlugRequest(in: $1) }
    case .log(let message):
      write(message)
      return nil
    case .badLine(let what): return countBadLine(what)
    case .closed: return .outputEnded
    }
  }

  /// Hands a report to its device.
  private func route(
    to device: DeviceID, _ report: (DeviceProxy, PluginSession) -> Void
  ) -> Supervision.Input? {
    guard let proxy = devices[device]?.proxy, let session = state.withLock({ $0.session }) else {
      // A plugin's thread may report once more after the answer to the close.
      if devices.hasClosed(device) { return nil }
      let name = device.name.boundedLine(maximumBytes: 64)
      return countBadLine("a report of the device \"\(name)\", which is not open here")
    }
    report(proxy, session)
    return nil
  }

  /// Returns the supervision's input for a bad line; `nil` after `ProtocolLimits.badLines` of them. A plugin that is
  /// being ended could otherwise send bad lines faster than they are handled.
  private func countBadLine(_ what: String) -> Supervision.Input? {
    let counts = state.withLock { state in
      guard state.badLines < ProtocolLimits.badLines else { return false }
      state.badLines += 1
      return true
    }
    return counts ? .badLine(what) : nil
  }

  private func write(_ message: LogNotification) {
    let now = clock.now()
    let (allowed, warning) = state.withLock { state -> (Bool, String?) in
      if state.logLimit.allows(at: now) { return (true, nil) }
      guard state.logLimit.shouldWarn() else { return (false, nil) }
      state.warning =
        "it writes more than \(Int(ProtocolLimits.logsPerSecond)) lines a second to the log; "
        + "such lines are dropped. Tell the plugin's author"
      return (false, state.warning)
    }
    if let warning { logger.warning("\(warning)") }
    guard allowed else { return }
    let level: Logger.Level =
      switch message.level {
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
    let device = message.device.map { "\($0.name.boundedLine(maximumBytes: 64)): " } ?? ""
    logger.log(level: level, "\(device)\(message.message)")
    if level > .debug { log.append("\(level): \(device)\(message.message)") }
  }
}
