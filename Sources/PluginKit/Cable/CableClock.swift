import Platform

/// Where a cable reads the time and how it waits: the monotonic clock, or a test's own.
public protocol CableClock: Sendable {
  /// Nanoseconds since some fixed moment; never goes back.
  var now: Int64 { get }
  /// How many milliseconds of real time to wait in `poll` for `deadline`; −1 means until woken.
  func timeout(until deadline: Int64) -> Int32
  /// Registers `wake`, which a clock that is set by hand calls after each step.
  func onStep(_ wake: @escaping @Sendable () -> Void)
}

extension MonotonicClock: CableClock {
  /// Does nothing: real time passes by itself.
  public func onStep(_ wake: @escaping @Sendable () -> Void) {}
}
