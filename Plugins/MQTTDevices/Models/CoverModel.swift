import Devices
import JSON

/// A screen on a motor that stops at both ends and reports its position or its motion.
struct CoverModel: ApplianceModel {
  /// The distance from an end, in %, within which a cover counts as being at that end.
  private static let tolerance = 2
  /// How long a moving cover may report nothing before it counts as stopped. When a movement begins, its expected time
  /// is added (for a command, one and a half times that).
  private static let silenceTimeout = Duration.seconds(5)

  private let travel: Duration
  private let isInverted: Bool
  /// The position, 0 (up) to 100 % (down); nil if it is unknown.
  private var lowered: Int?
  private var movement: CoverMovement?
  private(set) var problem: String?

  private struct CoverMovement: Hashable {
    let target: CoverEnd
    /// Whether a command began the movement, not the cover's own buttons.
    let isCommanded: Bool
    var attributes: [String: Attribute]
    /// When the movement counts as ended if the cover does not report its end.
    var deadline: Duration
  }

  /// - Parameters:
  ///   - travel: The time from one end to the other.
  ///   - isInverted: Whether the device reports the lowered screen as the open cover.
  init(travel: Duration, isInverted: Bool) {
    self.travel = travel
    self.isInverted = isInverted
  }

  var capabilities: Set<String> { ["stop"] }
  var deadline: Duration? { movement?.deadline }

  private var state: String? {
    if movement != nil { return "moving" }
    guard let lowered else { return nil }
    if lowered <= Self.tolerance { return "up" }
    return lowered >= 100 - Self.tolerance ? "down" : "stopped"
  }

  var values: [StateKey: KnownValue] {
    state.map { [.position: KnownValue(value: .string($0))] } ?? [:]
  }

  var attributes: [String: Attribute] {
    if let movement { return movement.attributes }
    guard state == "stopped", let lowered else { return [:] }
    return ["lowered": Self.percent(lowered, "Lowered")]
  }

  mutating func observe(_ observation: Observation, at now: Duration) {
    switch observation {
    case .lowered(let value): updatePosition(isInverted ? 100 - value : value, at: now)
    case .motion(let end): updateDirection(towards: isInverted ? end?.opposite : end, at: now)
    default: break
    }
  }

  private mutating func updatePosition(_ new: Int, at now: Duration) {
    let old = lowered
    lowered = new
    if let target = movement?.target {
      if abs(new - target.lowered) <= Self.tolerance {
        finishMovement()
      } else if movement?.isCommanded == false {
        movement?.deadline = now + Self.silenceTimeout
      }
    } else if let old, abs(new - old) > Self.tolerance, state == "stopped" {
      // The cover moves without a command: with its own buttons.
      start(new > old ? .down : .up, isCommanded: false, from: new, at: now)
      movement?.deadline = now + Self.silenceTimeout
    }
  }

  private mutating func updateDirection(towards end: CoverEnd?, at now: Duration) {
    guard let end else {
      movement = nil
      return
    }
    if let lowered, abs(lowered - end.lowered) <= Self.tolerance, movement == nil { return }
    if movement?.target != end { start(end, isCommanded: false, from: lowered, at: now) }
  }

  private mutating func finishMovement() {
    movement = nil
    problem = nil
  }

  private mutating func start(_ end: CoverEnd, isCommanded: Bool, from: Int?, at now: Duration) {
    let distance = abs(end.lowered - (from ?? end.opposite.lowered))
    let time = travel * (Double(distance) / 100)
    let seconds = JSON.number((time / .milliseconds(100)).rounded() / 10)
    movement = CoverMovement(
      target: end, isCommanded: isCommanded,
      attributes: [
        "from": Self.percent(from ?? end.opposite.lowered, "From"),
        "towards": Self.percent(end.lowered, "Towards"),
        "takes": Attribute(seconds, unit: "s", label: "Takes"),
        "remaining": Attribute(seconds, unit: "s", label: "Remaining"),
      ],
      deadline: now + (isCommanded ? time * 1.5 : time) + Self.silenceTimeout)
  }

  mutating func forget() {
    lowered = nil
    movement = nil
  }

  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest {
    switch goal {
    case .end(let end): return .move(isInverted ? end.opposite : end)
    case .standstill: return .stop
    default: throw .noSuchCommand
    }
  }

  func confirms(_ goal: Goal, wasObserved: Bool) -> Bool {
    switch goal {
    // Any message after the command confirms it, because not every cover reports its motion.
    case .end(let end):
      wasObserved || movement?.target == end || (movement == nil && state == name(of: end))
    case .standstill: movement == nil && lowered != nil || wasObserved
    default: false
    }
  }

  private func name(of end: CoverEnd) -> String { end == .up ? "up" : "down" }

  mutating func didAccept(_ goal: Goal, at now: Duration) {
    problem = nil
    switch goal {
    case .end(let end):
      if movement == nil, state == name(of: end) { return }
      start(end, isCommanded: true, from: lowered, at: now)
    case .standstill: movement = nil
    default: break
    }
  }

  mutating func tick(at now: Duration) -> Goal? {
    guard let movement, movement.deadline <= now else { return nil }
    self.movement = nil
    if movement.isCommanded, let lowered, state != name(of: movement.target) {
      problem =
        "the screen did not reach \"\(name(of: movement.target))\"; it stopped at \(lowered) %"
    }
    return nil
  }

  private static func percent(_ value: Int, _ label: String) -> Attribute {
    Attribute(.integer(value), unit: "%", label: label)
  }
}
