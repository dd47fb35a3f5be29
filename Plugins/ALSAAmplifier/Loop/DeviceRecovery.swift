/// The state of a device that has failed: the reason, and the time of the next try. Plain numbers only.
struct DeviceRecovery {
  /// Failed calls in a row after which a restart is not tried again.
  private static let restartLimit = 5
  /// The first and the longest time between two tries, ns.
  private static let retryDelays: ClosedRange<Int64> = 250_000_000...1_000_000_000

  /// The reason why the device is not in use; step `none` while it is.
  private(set) var failure = ALSAFailure(step: .none, code: 0)
  /// Whether the device is lost, so that sound goes on silently.
  private(set) var isLost = false
  /// Whether the device is retried even while nothing plays, because it could not be opened when the output was
  /// turned on.
  var isReacquiring = false
  /// The time since which the device is suspended, monotonic ns; 0 while it is not.
  var suspendedSince: Int64 = 0
  private var retryAt: Int64 = 0
  private var retryDelay: Int64 = 0
  private var failuresInRow = 0

  /// Whether the device has failed too often in a row to be restarted.
  var failsRepeatedly: Bool { failuresInRow > Self.restartLimit }

  /// Counts a failed call.
  mutating func countFailure() { failuresInRow += 1 }

  /// Ends the row of failed calls.
  mutating func recordSuccess() { failuresInRow = 0 }

  /// Records that the device was opened at "on".
  mutating func recordOpening() { failure = ALSAFailure(step: .none, code: 0) }

  /// Records that the device could not be opened at "on".
  mutating func recordRefusal(_ why: ALSAFailure) { failure = why }

  /// Records that the device is lost.
  mutating func recordLoss(_ why: ALSAFailure, at now: Int64) {
    failure = why
    failuresInRow = 0
    isLost = true
    suspendedSince = 0
    retryDelay = Self.retryDelays.lowerBound
    retryAt = now + retryDelay
  }

  /// Whether the lost device is to be tried again.
  func isRetryDue(at now: Int64) -> Bool { isLost && now >= retryAt }

  /// Whole milliseconds until the next try, at least 1.
  func millisecondsToRetry(at now: Int64) -> Int { Int(max(retryAt - now, 0) / 1_000_000) + 1 }

  /// Records that the lost device is back.
  mutating func recordReturn() {
    failure = ALSAFailure(step: .none, code: 0)
    isLost = false
    isReacquiring = false
  }

  /// Records that a try to open the lost device failed; the next one waits twice as long.
  mutating func recordFailedTry(_ why: ALSAFailure, at now: Int64) {
    failure = why
    retryDelay = min(retryDelay * 2, Self.retryDelays.upperBound)
    retryAt = now + retryDelay
  }
}
