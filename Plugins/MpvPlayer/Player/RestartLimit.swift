import Platform

/// A limit on the number of consecutive restarts of mpv.
struct RestartLimit: Sendable {
  /// The largest number of consecutive restarts.
  static let most = 3
  /// The time without a restart after which the count begins again at 0.
  static let recovery = Duration.seconds(20)

  private var count = 0
  private var last: Duration?

  /// Counts a restart at `now`. Returns the wait before it; nil if it exceeds ``most``.
  mutating func restart(at now: Duration) -> Duration? {
    if let last, now - last > Self.recovery { count = 0 }
    last = now
    count += 1
    // The first restart is immediate, so that the film goes on soon; the next ones wait 100 ms and 200 ms.
    return count > Self.most ? nil : .milliseconds(100) * (count - 1)
  }

  /// Sets the count to 0, for another film.
  mutating func reset() { self = RestartLimit() }
}
