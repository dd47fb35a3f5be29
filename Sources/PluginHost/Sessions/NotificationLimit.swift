import Devices
import PluginProtocol

/// A rate limit of notifications (a token bucket), by default that of a device's reports: 200 a second, 1,000 at once.
///
/// Answers to requests are not counted. Each command raises the limit for the reports that follow
/// it.
struct NotificationLimit: Sendable {
  private static let perCommand = 10.0

  /// The limit of a player's requests for a new cable.
  static let plugRequests = NotificationLimit(
    perSecond: ProtocolLimits.plugRequestsPerSecond, burst: ProtocolLimits.plugRequestBurst)

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

  /// Takes a token if there is one. Returns false for a notification above the limit at `now`.
  mutating func allows(at now: Duration) -> Bool {
    if let last = refilled {
      tokens = min(burst, tokens + (now - last).seconds * perSecond)
    }
    refilled = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Raises the limit after a command, whose changes will be reported.
  mutating func expectReports() { tokens = min(burst, tokens + Self.perCommand) }

  /// Returns true the first time only, so that there is one warning.
  mutating func shouldWarn() -> Bool {
    defer { hasWarned = true }
    return !hasWarned
  }
}
