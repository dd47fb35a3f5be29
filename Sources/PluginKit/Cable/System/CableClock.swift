import Glibc

/// Where a cable reads the time and how it waits: the monotonic clock, or a test's own.
public protocol CableClock: Sendable {
  /// Nanoseconds since some fixed moment; never goes back.
  var now: Int64 { get }
  /// How many milliseconds of real time to wait in `poll` for `deadline`; −1 means until woken.
  func timeout(until deadline: Int64) -> Int32
  /// Registers `wake`, which a clock that is set by hand calls after each step.
  func onStep(_ wake: @escaping @Sendable () -> Void)
}

/// CLOCK_MONOTONIC.
public struct MonotonicCableClock: CableClock {
  /// The clock.
  public init() {}

  /// Nanoseconds since the machine's start.
  public var now: Int64 { Self.now }

  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Milliseconds until the deadline, rounded up.
  public func timeout(until deadline: Int64) -> Int32 {
    let left = deadline.subtractingReportingOverflow(now)
    guard !left.overflow else { return 0 }
    return Int32(clamping: max(0, (left.partialValue + 999_999) / 1_000_000))
  }

  /// Nothing to do: real time passes by itself.
  public func onStep(_ wake: @escaping @Sendable () -> Void) {}
}
