/// A monotonic clock. Tests inject one that they move by hand.
public protocol TheaterClock: Sendable {
  /// The time since a fixed moment; it never jumps.
  func now() -> Duration
  /// Waits until `now()` has reached `deadline`; throws when the task is cancelled.
  func sleep(until deadline: Duration) async throws(CancellationError)
}

/// The machine's monotonic clock.
public struct SystemClock: TheaterClock {
  private static let origin = ContinuousClock.now

  /// A clock that starts at 0 when the process first uses one.
  public init() {}

  /// The time since the process first used a clock of this type. It goes on while the machine
  /// sleeps.
  public func now() -> Duration { Self.origin.duration(to: .now) }

  /// Returns at once for a deadline in the past.
  /// - Throws: When the task is cancelled.
  public func sleep(until deadline: Duration) async throws(CancellationError) {
    do {
      // The one place where the system's time is waited for; tests inject their own clock.
      try await Task.sleep(until: Self.origin + deadline, clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }
}
