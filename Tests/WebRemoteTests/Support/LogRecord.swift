import Logging
import Synchronization

/// Lines of a log, in the order in which they came.
final class LogRecord: Sendable {
  struct Line: Sendable, Hashable {
    let level: Logger.Level
    let text: String
  }
  private let kept = Mutex<[Line]>([])

  var lines: [Line] { kept.withLock { $0 } }
  func note(_ line: Line) { kept.withLock { $0.append(line) } }
}

/// Writes into a record.
struct LogRecorder: LogHandler {
  let record: LogRecord
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel = Logger.Level.debug

  init(record: LogRecord) { self.record = record }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    record.note(LogRecord.Line(level: event.level, text: "\(event.message)"))
  }
}
