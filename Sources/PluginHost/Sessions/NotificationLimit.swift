import Devices

/// How many notifications of one device are heard: 200 a second, with bursts of 1,000.
///
/// Answers to requests are not counted, and neither is what a command makes true: each command
/// entitles its device to some more.
struct NotificationLimit: Sendable {
  static let perSecond = 200.0
  static let burst = 1000.0
  static let perCommand = 10.0

  private var tokens = burst
  private var refilled: Duration?
  private var hasWarned = false

  /// Whether one more notification is heard at `now`.
  mutating func allows(at now: Duration) -> Bool {
    if let last = refilled {
      tokens = min(Self.burst, tokens + (now - last).seconds * Self.perSecond)
    }
    refilled = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// A command was sent: what it changes will be reported.
  mutating func expectReports() { tokens = min(Self.burst, tokens + Self.perCommand) }

  /// True the first time only: one warning says it all.
  mutating func shouldWarn() -> Bool {
    defer { hasWarned = true }
    return !hasWarned
  }
}
