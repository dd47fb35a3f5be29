/// A monotonic clock. Tests inject one that they move by hand.
public protocol TheaterClock: Sendable {
  /// The time since a fixed moment; it never jumps.
  func now() -> Duration
  /// Waits until `now()` has reached `deadline`; throws when the task is cancelled.
  func sleep(until deadline: Duration) async throws(CancellationError)
}

extension TheaterClock {
  /// Waits for a time from now on; throws when the task is cancelled.
  package func sleep(for time: Duration) async throws(CancellationError) {
    try await sleep(until: now() + time)
  }
}

/// The machine's clock that also counts the time asleep (`CLOCK_BOOTTIME`).
public struct SystemClock: TheaterClock {
  public init() {}

  /// The time since the machine's start.
  public func now() -> Duration { .nanoseconds(MonotonicClock.nowIncludingSleep) }

  /// Returns at once for a deadline in the past.
  /// - Throws: When the task is cancelled.
  public func sleep(until deadline: Duration) async throws(CancellationError) {
    do {
      // No other code waits for the system's clock, so that tests can inject their own.
      try await Task.sleep(for: deadline - now(), clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }
}
