/// Whole seconds until something may be done again, down to 0 inclusive.
struct Countdown: Sendable {
  /// Seconds left, rounded up.
  private(set) var remaining = 0
  private var end = Duration.zero

  var isRunning: Bool { remaining > 0 }

  /// When `remaining` changes next.
  var nextTick: Duration { end - .seconds(remaining - 1) }

  mutating func start(_ seconds: Int, at now: Duration) {
    remaining = seconds
    end = now + .seconds(seconds)
  }

  /// Looks at the clock.
  /// - Returns: Whether another second is over.
  mutating func tick(at now: Duration) -> Bool {
    let left = max(end - now, .zero)
    let seconds = Int(left.components.seconds) + (left.components.attoseconds > 0 ? 1 : 0)
    guard seconds < remaining else { return false }
    remaining = seconds
    return true
  }
}
