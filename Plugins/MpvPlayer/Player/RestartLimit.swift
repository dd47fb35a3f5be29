import Platform

/// Counts the restarts of mpv in a row, and bounds them.
struct RestartLimit: Sendable {
  /// The most restarts in a row.
  static let most = 3
  /// After so much time without a restart the count begins anew.
  static let recovery = Duration.seconds(20)

  private var count = 0
  private var last: Duration?

  /// Counts a restart at `now`. Returns the wait before it; nil if there were too many.
  mutating func restart(at now: Duration) -> Duration? {
    if let last, now - last > Self.recovery { count = 0 }
    last = now
    count += 1
    // At once the first time, because the film waits.
    return count > Self.most ? nil : .milliseconds(100) * (count - 1)
  }

  /// Begins anew: another film is played.
  mutating func reset() { self = RestartLimit() }
}
