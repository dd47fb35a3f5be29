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

/// The machine's monotonic clock.
public struct SystemClock: TheaterClock {
  public init() {}

  /// The time since the machine's start. It goes on while the machine sleeps.
  public func now() -> Duration { .nanoseconds(MonotonicClock.nowIncludingSleep) }

  /// Returns at once for a deadline in the past.
  /// - Throws: When the task is cancelled.
  public func sleep(until deadline: Duration) async throws(CancellationError) {
    do {
      // The only wait for the system's clock; tests inject their own clock.
      try await Task.sleep(for: deadline - now(), clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }
}
