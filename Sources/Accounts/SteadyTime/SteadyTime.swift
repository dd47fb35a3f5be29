/// A point of time that nobody can set: so long after which start of the machine.
///
/// The time of day is no measure for what guards a secret: whoever sets it forward ends a wait, and
/// whoever sets it back revives a code that has expired. So what must last or pass for a while is
/// kept as the boot of the machine (Linux's boot id) and the time since it (`CLOCK_BOOTTIME`, which
/// counts suspension too). Both outlive a restart of the controller, and neither moves with the
/// time of day. Two points of one boot have a distance; between boots nobody knows how long the
/// machine was off, and then the careful answer holds:
///
/// - what is *good for* a while (a code) is void: `now.isWithin(length, of: then)` is false;
/// - what has to be *waited for* (the next send, the next try) begins anew at its full length:
///   `now.left(of: length, since: then)` is `length`, and a store keeps `now` in the place of
///   `then`, so that the wait ends one day.
///
/// A store keeps it as two columns, `boot TEXT` and `INTEGER` milliseconds.
package struct SteadyTime: Hashable, Sendable {
  /// Which boot of the machine; compared, never shown.
  package let boot: String
  /// Milliseconds since that boot.
  package let milliseconds: Int64

  /// Takes what a clock tells or a store kept.
  package init(boot: String, milliseconds: Int64) {
    self.boot = boot
    self.milliseconds = milliseconds
  }

  /// How long ago `then` was, seen from here; nil where nobody can know, since it was in another
  /// boot or lies ahead.
  package func age(of then: SteadyTime) -> Duration? {
    guard boot == then.boot else { return nil }
    let (age, overflows) = milliseconds.subtractingReportingOverflow(then.milliseconds)
    return overflows || age < 0 ? nil : .milliseconds(age)
  }

  /// Whether less than `length` has passed since `then`, for what is good for a while.
  package func isWithin(_ length: Duration, of then: SteadyTime) -> Bool {
    age(of: then).map { $0 < length } ?? false
  }

  /// What is left of a wait of `length` that began at `then`; zero when it is over.
  package func left(of length: Duration, since then: SteadyTime) -> Duration {
    max(.zero, length - (age(of: then) ?? .zero))
  }
}
