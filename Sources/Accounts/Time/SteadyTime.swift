/// A point in time that cannot be changed by setting the clock: a boot of the machine and the time since.
///
/// Security must not depend on the time of day: setting it forward would end a wait, setting it back
/// would revive an expired code. Therefore validity and waits are stored as the boot (Linux's boot id)
/// and the time since it (`CLOCK_BOOTTIME`, which includes suspension). Both survive a restart of the
/// controller. Between two boots the elapsed time is unknown, and the safe answer holds:
///
/// - a *validity* (of a code) is over: `now.isWithin(length, of: then)` is false;
/// - a *wait* (for the next send, the next attempt) begins anew: `now.remaining(of: length, since: then)` is
///   `length`, and a store replaces `then` by `now`, so that the wait ends.
///
/// A store keeps it as two columns, `boot TEXT` and `INTEGER` milliseconds.
public struct SteadyTime: Hashable, Sendable {
  /// Which boot of the machine; compared, never shown.
  public let boot: String
  /// Milliseconds since that boot.
  public let milliseconds: Int64

  /// Takes the reading of a clock, or a stored time.
  public init(boot: String, milliseconds: Int64) {
    self.boot = boot
    self.milliseconds = milliseconds
  }

  /// The time since `then`; nil when `then` is of another boot or in the future.
  public func age(of then: SteadyTime) -> Duration? {
    guard boot == then.boot else { return nil }
    let (age, overflows) = milliseconds.subtractingReportingOverflow(then.milliseconds)
    return overflows || age < 0 ? nil : .milliseconds(age)
  }

  /// Whether less than `length` has passed since `then`, for a validity.
  public func isWithin(_ length: Duration, of then: SteadyTime) -> Bool {
    age(of: then).map { $0 < length } ?? false
  }

  /// The rest of a wait of `length` that began at `then`; zero when it is over.
  public func remaining(of length: Duration, since then: SteadyTime) -> Duration {
    max(.zero, length - (age(of: then) ?? .zero))
  }
}
