import Platform

/// The machine's clock, sped up: for tests with real processes that must wait for a deadline.
public struct FastClock: TheaterClock {
  private let factor: Int
  private let clock = SystemClock()

  /// - Parameter factor: How many times faster than real time.
  public init(factor: Int) { self.factor = factor }

  public func now() -> Duration { clock.now() * factor }

  public func sleep(until deadline: Duration) async throws(CancellationError) {
    try await clock.sleep(until: deadline / factor + .microseconds(1))
  }
}
