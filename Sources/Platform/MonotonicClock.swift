import Glibc

/// The machine's monotonic clock (`CLOCK_MONOTONIC`), by which sound is timed. It never goes back,
/// and stands still while the machine sleeps.
public struct MonotonicClock: Sendable {
  public init() {}

  /// Nanoseconds since the machine's start. Read without a switch to the kernel (vDSO), so it is safe
  /// on an audio thread.
  public static var now: Int64 { read(CLOCK_MONOTONIC) }

  /// Nanoseconds since the machine's start, the time that it slept included (`CLOCK_BOOTTIME`).
  public static var nowIncludingSleep: Int64 { read(CLOCK_BOOTTIME) }

  /// Nanoseconds since the machine's start.
  public var now: Int64 { Self.now }

  /// The milliseconds until `deadline` as `poll` takes them: rounded up, 0 once it has passed.
  public func timeout(until deadline: Int64) -> Int32 {
    let now = now
    guard deadline > now else { return 0 }
    return Int32(clamping: (deadline - now - 1) / 1_000_000 + 1)
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Duration {
  /// This time in whole nanoseconds, clamped to 146 years, so that a sum with the present time fits.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let limit = Int128(Int64.max / 2)
    let whole = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
    return Int64(min(max(whole, -limit), limit))
  }
}
