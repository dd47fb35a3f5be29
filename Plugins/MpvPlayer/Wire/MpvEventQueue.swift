/// The events of mpv that wait for their reader.
///
/// A newer value of a property replaces the waiting one, and log lines are dropped where too many wait. Every other
/// event is kept.
struct MpvEventQueue: Sendable {
  /// The most waiting events.
  static let mostEvents = 4096
  /// The most waiting events to which a log line is added.
  static let mostEventsForLog = 256

  private var events: [MpvEvent] = []

  /// Adds an event. Returns false if it does not fit.
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

  /// Removes and returns the oldest event; nil without one.
  mutating func removeFirst() -> MpvEvent? { events.isEmpty ? nil : events.removeFirst() }
}
