import Devices
import JSON

/// A screen on a motor that stops at both ends and reports its position or its motion.
struct CoverModel: ApplianceModel {
  /// How far from an end, in %, a cover may stand and count as being there.
  private static let tolerance = 2
  /// How long a cover that this plugin does not move may be silent and still count as moving.
  private static let pause = Duration.seconds(5)

  private let travel: Duration
  private let isInverted: Bool
  /// 0 (up) to 100 % (down); nil if it is not known.
  private var lowered: Int?
  private var change: Change?
  private(set) var problem: String?

  private struct Change: Hashable {
    let target: CoverEnd
    let isOurs: Bool
    var attributes: [String: Attribute]
    /// When it counts as ended without a message that says so.
    var deadline: Duration
  }

  /// - Parameters:
  ///   - travel: The time from one end to the other.
  ///   - isInverted: Whether the device counts the lowered screen as the open cover.
  init(travel: Duration, isInverted: Bool) {
    self.travel = travel
    self.isInverted = isInverted
  }

  var capabilities: Set<String> { ["stop"] }
  var deadline: Duration? { change?.deadline }

  private var state: String? {
    if change != nil { return "moving" }
    guard let lowered else { return nil }
    if lowered <= Self.tolerance { return "up" }
    return lowered >= 100 - Self.tolerance ? "down" : "stopped"
  }

  var values: [StateKey: KnownValue] {
    state.map { [.position: KnownValue(value: .string($0))] } ?? [:]
  }

  var attributes: [String: Attribute] {
    if let change { return change.attributes }
    guard state == "stopped", let lowered else { return [:] }
    return ["lowered": Self.percent(lowered, "Lowered")]
  }

  mutating func observe(_ observation: Observation, at now: Duration) {
    switch observation {
    case .lowered(let value): move(to: isInverted ? 100 - value : value, at: now)
    case .motion(let end): turn(towards: isInverted ? end?.opposite : end, at: now)
    default: break
    }
  }

  private mutating func move(to new: Int, at now: Duration) {
    let old = lowered
    lowered = new
    if let target = change?.target {
      if abs(new - target.lowered) <= Self.tolerance {
        arrive()
      } else if change?.isOurs == false {
        change?.deadline = now + Self.pause
      }
    } else if let old, abs(new - old) > Self.tolerance, state == "stopped" {
      // Its own buttons move it.
      start(new > old ? .down : .up, isOurs: false, from: new, at: now)
      change?.deadline = now + Self.pause
    }
  }

  private mutating func turn(towards end: CoverEnd?, at now: Duration) {
    guard let end else {
      change = nil
      return
    }
    if let lowered, abs(lowered - end.lowered) <= Self.tolerance, change == nil { return }
    if change?.target != end { start(end, isOurs: false, from: lowered, at: now) }
  }

  private mutating func arrive() {
    change = nil
    problem = nil
  }

  private mutating func start(_ end: CoverEnd, isOurs: Bool, from: Int?, at now: Duration) {
    let distance = abs(end.lowered - (from ?? end.opposite.lowered))
    let time = travel * (Double(distance) / 100)
    let seconds = JSON.number((time / .milliseconds(100)).rounded() / 10)
    change = Change(
      target: end, isOurs: isOurs,
      attributes: [
        "from": Self.percent(from ?? end.opposite.lowered, "From"),
        "towards": Self.percent(end.lowered, "Towards"),
        "takes": Attribute(seconds, unit: "s", label: "Takes"),
        "remaining": Attribute(seconds, unit: "s", label: "Remaining"),
      ],
      deadline: now + (isOurs ? time * 1.5 : time) + Self.pause)
  }

  mutating func forget() {
    lowered = nil
    change = nil
  }

  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest {
    switch goal {
    case .end(let end): return .move(isInverted ? end.opposite : end)
    case .standstill: return .stop
    default: throw .noSuchCommand
    }
  }

  func shows(_ goal: Goal, wasObserved: Bool) -> Bool {
    switch goal {
    // A message after the command is enough: not every cover says its motion.
    case .end(let end):
      wasObserved || change?.target == end || (change == nil && state == name(of: end))
    case .standstill: change == nil && lowered != nil || wasObserved
    default: false
    }
  }

  private func name(of end: CoverEnd) -> String { end == .up ? "up" : "down" }

  mutating func begin(_ goal: Goal, at now: Duration) {
    problem = nil
    switch goal {
    case .end(let end):
      if change == nil, state == name(of: end) { return }
      start(end, isOurs: true, from: lowered, at: now)
    case .standstill: change = nil
    default: break
    }
  }

  mutating func tick(at now: Duration) -> Goal? {
    guard let change, change.deadline <= now else { return nil }
    self.change = nil
    if change.isOurs, let lowered, state != name(of: change.target) {
      problem = "the screen was sent \(name(of: change.target)) and stands at \(lowered) % since"
    }
    return nil
  }

  private static func percent(_ value: Int, _ label: String) -> Attribute {
    Attribute(.integer(value), unit: "%", label: label)
  }
}
