import Devices
import JSON

/// The progress of a lamp that warms or cools. Its times are those of the options until the plugin has
/// measured them itself.
struct Movement: Sendable {
  /// A change of power that is under way.
  private struct Change {
    let power: Power
    /// When it began; nil if that was not seen.
    let start: Duration?
    /// How long it is expected to take.
    let whole: Duration
  }

  private var times: [Power: Duration]
  private var current: Change?

  /// - Parameters:
  ///   - warmUp: How long the lamp usually warms.
  ///   - coolDown: How long it usually cools.
  init(warmUp: Duration, coolDown: Duration) {
    times = [.warming: warmUp, .cooling: coolDown]
  }

  /// Takes a new power.
  ///
  /// - Parameter old: nil if it is not known.
  mutating func change(from old: Power?, to new: Power, at now: Duration) {
    if let current, let start = current.start, new == current.power.target {
      times[current.power] = now - start
    }
    current = times[new].map { Change(power: new, start: old.map { _ in now }, whole: $0) }
  }

  /// Forgets the present change: contact was lost.
  mutating func forget() { current = nil }

  /// The expected time to the end of the present change; zero without one.
  func remaining(at now: Duration) -> Duration {
    guard let current, let start = current.start else { return .zero }
    return max(.zero, start + current.whole - now)
  }

  /// The attributes `takes` and `remaining` of a change that has just begun; null for any other.
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
  /// The power after this transition; nil for others.
  fileprivate var target: Power? {
    switch self {
    case .warming: .on
    case .cooling: .off
    case .on, .off, .unknown: nil
    }
  }
}
