import Logging
import Synchronization

/// The lines of a logger, debug lines too: `notice: text`.
public final class RecordedLog: Sendable {
  private let entries = Mutex<[String]>([])

  public init() {}

  /// All lines so far, the oldest first.
  public var lines: [String] { entries.withLock { $0 } }

  /// The lines of level warning and above.
  public var alarms: [String] {
    lines.filter { $0.hasPrefix("warning") || $0.hasPrefix("error") || $0.hasPrefix("critical") }
  }

  /// A logger that writes here.
  public var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

  private struct Handler: LogHandler {
    let log: RecordedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.entries.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}
