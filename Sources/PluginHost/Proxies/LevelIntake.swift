import Devices
import PluginProtocol

/// Checks and rate-limits the reports of a device's sound levels. Reports above the limit are dropped: a
/// newer one follows.
struct LevelIntake: Sendable {
  private var limit = NotificationLimit(
    perSecond: ProtocolLimits.levelsPerSecond, burst: ProtocolLimits.levelBurst)
  private var hasWarnedOfValues = false

  /// Checks a report, and drops it if it is above the rate limit.
  ///
  /// - Parameter warn: Called with each warning about this report.
  /// - Returns: The levels; `nil` if they are dropped.
  mutating func accept(_ report: LevelsNotification, at now: Duration, warn: (String) -> Void)
    -> SoundLevels?
  {
    guard limit.allows(at: now) else {
      if limit.shouldWarn() {
        warn(
          "its plugin reports levels more than \(Int(ProtocolLimits.levelsPerSecond)) times a second; "
            + "further ones are dropped. Tell the plugin's author")
      }
      return nil
    }
    if report.levels == nil, !hasWarnedOfValues {
      hasWarnedOfValues = true
      warn(
        "its plugin reports levels that are not two lists of \(SoundLevels.channelRange.lowerBound) to "
          + "\(SoundLevels.channelRange.upperBound) numbers from \(Int(SoundLevels.range.lowerBound)) to "
          + "\(Int(SoundLevels.range.upperBound)) dBFS; such reports are dropped. Tell the plugin's author"
      )
    }
    return report.levels
  }
}
