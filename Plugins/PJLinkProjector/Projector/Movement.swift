import Devices
import JSON

/// The progress of a lamp that warms or cools. The expected times come from the options, until the plugin has measured
/// them.
struct Movement: Sendable {
  /// A change of power that is in progress.
  private struct Change {
    /// `warming` or `cooling`.
    let power: Power
    /// When the change began; nil if the plugin did not see its beginning.
    let start: Duration?
    /// The expected duration of the change.
    let whole: Duration
  }

  /// The expected durations of warming and cooling.
  private var times: [Power: Duration]
  private var current: Change?

  /// - Parameters:
  ///   - warmUp: How long the lamp usually takes to warm up.
  ///   - coolDown: How long the lamp usually takes to cool down.
  init(warmUp: Duration, coolDown: Duration) {
    times = [.warming: warmUp, .cooling: coolDown]
  }

  /// Records a change of the power. At the end of a change whose beginning was seen, stores its measured duration.
  ///
  /// - Parameter old: The power before; nil if it is unknown.
  mutating func recordChange(from old: Power?, to new: Power, at now: Duration) {
    if let current, let start = current.start, new == current.power.target {
      times[current.power] = now - start
    }
    current = times[new].map { Change(power: new, start: old.map { _ in now }, whole: $0) }
  }

  /// Returns the expected duration of warming or cooling; zero for the other values.
  func expectedTime(of power: Power) -> Duration { times[power] ?? .zero }

  /// Forgets the present change, because the projector does not answer.
  mutating func forget() { current = nil }

  /// Returns the expected time until the end of the present change; zero if there is none or its beginning is unknown.
  func remaining(at now: Duration) -> Duration {
    guard let current, let start = current.start else { return .zero }
    return max(.zero, start + current.whole - now)
  }

  /// The attributes `takes` and `remaining`, both with the expected duration of a change that has just begun. Null if
  /// there is no change, or its beginning was not seen.
  var attributes: [String: Attribute] {
    let isSeen = current?.start != nil
    let seconds = current.map { JSON.number(($0.whole / .milliseconds(100)).rounded() / 10) }
    let value = isSeen ? seconds ?? .null : .null
    return [
      "takes": Attribute(value, unit: "s", label: "Takes"),
      "remaining": Attribute(value, unit: "s", label: "Remaining"),
    ]
  }
}

extension Power {
  /// The power after warming or cooling; nil for the other values.
  fileprivate var target: Power? {
    switch self {
    case .warming: .on
    case .cooling: .off
    case .on, .off, .unknown: nil
    }
  }
}
