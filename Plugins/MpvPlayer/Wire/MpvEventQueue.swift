/// A bounded queue of the events of mpv that wait for their reader.
///
/// A newer value of a property replaces the waiting value. Log lines are dropped while ``mostEventsForLog`` events
/// wait. No other event is dropped: beyond ``mostEvents``, `append` refuses it.
struct MpvEventQueue: Sendable {
  /// The largest number of waiting events.
  static let mostEvents = 4096
  /// The number of waiting events from which log lines are dropped.
  static let mostEventsForLog = 256

  private var events: [MpvEvent] = []

  /// Adds an event, or drops a log line. Returns false if the queue is full.
  mutating func append(_ event: MpvEvent) -> Bool {
    switch event {
    case .propertyChange(let name, _):
      events.removeAll { if case .propertyChange(name, _) = $0 { true } else { false } }
    case .log where events.count >= Self.mostEventsForLog: return true
    default: break
    }
    guard events.count < Self.mostEvents else { return false }
    events.append(event)
    return true
  }

  /// Removes and returns the log lines that wait.
  mutating func removeLogLines() -> [MpvEvent] {
    let lines = events.filter { if case .log = $0 { true } else { false } }
    events.removeAll { if case .log = $0 { true } else { false } }
    return lines
  }

  /// Removes and returns the oldest event; nil if none waits.
  mutating func removeFirst() -> MpvEvent? { events.isEmpty ? nil : events.removeFirst() }
}
