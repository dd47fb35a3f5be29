import Devices
import JSON

/// A screen that does not report its position. The position is assumed from the time since the last command. The screen
/// is either down while its plug is on, such as one with a trigger input, or has a motor that reports no state.
struct TimedScreenModel: ApplianceModel {
  private let travel: Duration
  private let isInverted: Bool
  private let hasPlug: Bool
  /// The end at which the screen is, or towards which it moves; nil if it is unknown.
  private var end: CoverEnd?
  /// When the present movement will be over; nil while the screen stands still.
  private var arrival: Duration?

  /// - Parameters:
  ///   - travel: The time from one end to the other.
  ///   - isInverted: For a plug, whether the screen is up while the plug is on. For a motor, whether its commands count
  ///     the lowered screen as the open cover.
  ///   - hasPlug: Whether a plug moves the screen; false for a motor with commands.
  init(travel: Duration, isInverted: Bool, hasPlug: Bool) {
    self.travel = travel
    self.isInverted = isInverted
    self.hasPlug = hasPlug
  }

  var deadline: Duration? { arrival }

  var values: [StateKey: KnownValue] {
    guard let end else { return [:] }
    let position = arrival != nil ? "moving" : end == .up ? "up" : "down"
    return [.position: KnownValue(value: .string(position), provenance: .assumed)]
  }

  var attributes: [String: Attribute] {
    guard let end, arrival != nil else { return [:] }
    let seconds = JSON.number(travel.seconds)
    return [
      "from": Attribute(.integer(end.opposite.lowered), unit: "%", label: "From"),
      "towards": Attribute(.integer(end.lowered), unit: "%", label: "Towards"),
      "takes": Attribute(seconds, unit: "s", label: "Takes"),
      "remaining": Attribute(seconds, unit: "s", label: "Remaining"),
    ]
  }

  mutating func observe(_ observation: Observation, at now: Duration) {
    switch observation {
    case .power(let isOn):
      // The first report of a plug does not say when the plug was switched, so the movement is assumed to be over.
      let isFirst = end == nil
      setTarget(isOn != isInverted ? .down : .up, at: now)
      if isFirst { arrival = nil }
    case .motion(let end?), .end(let end): setTarget(isInverted ? end.opposite : end, at: now)
    default: break
    }
  }

  /// Assumes that the movement of a command begins now, even if the position was unknown.
  mutating func assume(_ goal: Goal, at now: Duration) {
    if case .end(let end) = goal { setTarget(end, at: now) }
  }

  private mutating func setTarget(_ new: CoverEnd, at now: Duration) {
    guard new != end else { return }
    end = new
    arrival = now + travel
  }

  mutating func forget() {
    end = nil
    arrival = nil
  }

  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest {
    guard case .end(let end) = goal else { throw .noSuchCommand }
    return hasPlug ? .turn((end == .down) != isInverted) : .move(isInverted ? end.opposite : end)
  }

  func confirms(_ goal: Goal, _ answer: CommandAnswer) -> Bool {
    end.map { goal == .end($0) } ?? false
  }

  mutating func tick(at now: Duration) -> Goal? {
    if let arrival, arrival <= now { self.arrival = nil }
    return nil
  }
}
