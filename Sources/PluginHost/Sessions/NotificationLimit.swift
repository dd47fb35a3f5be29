import Devices
import PluginProtocol

/// How many notifications are heard: of one device 200 a second, with bursts of 1,000.
///
/// Answers to requests are not counted, and neither is what a command makes true: each command
/// entitles its device to some more.
struct NotificationLimit: Sendable {
  private static let perCommand = 10.0

  private let perSecond: Double
  private let burst: Double
  private var tokens: Double
  private var refilled: Duration?
  private var hasWarned = false

  init(
    perSecond: Double = ProtocolLimits.reportsPerSecond, burst: Double = ProtocolLimits.reportBurst
  ) {
    self.perSecond = perSecond
    self.burst = burst
    tokens = burst
  }

  /// Whether one more notification is heard at `now`.
  mutating func allows(at now: Duration) -> Bool {
    if let last = refilled {
      tokens = min(burst, tokens + (now - last).seconds * perSecond)
    }
    refilled = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// A command was sent: what it changes will be reported.
  mutating func expectReports() { tokens = min(burst, tokens + Self.perCommand) }

  /// True the first time only: one warning says it all.
  mutating func shouldWarn() -> Bool {
    defer { hasWarned = true }
    return !hasWarned
  }
}
