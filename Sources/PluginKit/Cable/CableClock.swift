import Platform

/// The clock of a cable: the monotonic clock, or a test's clock.
public protocol CableClock: Sendable {
  /// Nanoseconds since some fixed moment; never goes back.
  var now: Int64 { get }
  /// How many milliseconds of real time to wait in `poll` for `deadline`; −1 means until woken.
  func timeout(until deadline: Int64) -> Int32
  /// Registers `wake`, which a clock that is set by hand calls after each step.
  func onStep(_ wake: @escaping @Sendable () -> Void)
}

extension MonotonicClock: CableClock {
  /// Does nothing, because real time needs no steps.
  public func onStep(_ wake: @escaping @Sendable () -> Void) {}
}
