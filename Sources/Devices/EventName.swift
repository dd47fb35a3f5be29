/// The names of the events that clients follow (`GET /events`).
public enum EventName: String, Sendable, Hashable, CaseIterable {
  /// The whole status, for a client that has none or has lost events.
  case snapshot
  case device
  case activity
  case run
  case library
  case configuration
  case levels
}
