import Logging
import Synchronization

/// The lines that a logger was given.
final class RecordedLog: Sendable {
  private let entries = Mutex<[String]>([])

  /// Every line so far, debug lines too.
  var lines: [String] { entries.withLock { $0 } }

  /// A logger that writes here.
  var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

  private struct Handler: LogHandler {
    let log: RecordedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.entries.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}
