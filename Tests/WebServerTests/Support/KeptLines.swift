import Logging
import Synchronization

/// A log that keeps what it is told: `notice: text`.
struct KeptLines: LogHandler {
  private let kept = Kept()
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.debug

  var lines: [String] { kept.lines.withLock { $0 } }
  /// Those that somebody should look at.
  var alarms: [String] {
    lines.filter { $0.hasPrefix("warning") || $0.hasPrefix("error") || $0.hasPrefix("critical") }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    kept.lines.withLock { $0.append("\(event.level): \(event.message)") }
  }

  private final class Kept: Sendable {
    let lines = Mutex<[String]>([])
  }
}
