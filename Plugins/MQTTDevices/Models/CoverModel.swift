import Devices
import JSON

/// Whether a device counts the lowered screen as the open cover.
struct CoverInversion: Sendable, Hashable {
  /// In the numbers of its positions.
  var positions = false
  /// In its commands, and in the words with which it reports its ends and its motion.
  var commands = false
}

/// A screen on a motor that stops at both ends and reports its position or its motion.
struct CoverModel: ApplianceModel {
  /// The distance from an end, in %, within which a cover counts as being at that end.
  private static let tolerance = 2
  /// The distance from an end, in %, within which a cover that rests after a command is at that end: its motor stops a
  /// little before it.
  private static let restTolerance = 10
  /// How long a moving cover may report nothing before it counts as stopped, and how long it may rest before it begins
  /// to move. When a movement begins, its expected time is added (for a command, one and a half times that).
  private static let silenceTimeout = Duration.seconds(5)

  private let travel: Duration
  private let inversion: CoverInversion
  /// The position, 0 (up) to 100 % (down); nil if it is unknown.
  private var lowered: Int?
  /// The end at which a cover without a position is assumed to be, after a movement.
  private var assumedEnd: CoverEnd?
  /// The positions at which the cover has come to rest near its ends.
  private var restingPlaces: [CoverEnd: Int] = [:]
  private var movement: CoverMovement?
  private(set) var problem: String?

  private struct CoverMovement: Hashable {
    /// The end towards which the cover moves, as far as it is known.
    let target: CoverEnd
    /// The end that a command has named; nil for a movement with the cover's own buttons.
    let wanted: CoverEnd?
    /// Whether the cover has reported that it moves.
    var isReported: Bool
    var attributes: [String: Attribute]
    /// When the movement counts as ended if the cover does not report its end.
    var deadline: Duration
  }

  /// - Parameter travel: The time from one end to the other.
  init(travel: Duration, inversion: CoverInversion) {
    self.travel = travel
    self.inversion = inversion
  }

  var capabilities: Set<String> { ["stop"] }
  var deadline: Duration? { movement?.deadline }

  /// The position at rest; nil if it is unknown.
  private var restState: String? {
    guard let lowered else { return assumedEnd.map { name(of: $0) } }
    return [CoverEnd.up, .down].first { isAt($0, lowered) }.map { name(of: $0) } ?? "stopped"
  }

  private func isAt(_ end: CoverEnd, _ lowered: Int) -> Bool {
    [end.lowered, restingPlaces[end]].contains { place in
      place.map { abs(lowered - $0) <= Self.tolerance } ?? false
    }
  }

  var values: [StateKey: KnownValue] {
    if movement != nil { return [.position: KnownValue(value: "moving")] }
    guard let restState else { return [:] }
    let provenance: Provenance = lowered == nil ? .assumed : .reported
    return [.position: KnownValue(value: .string(restState), provenance: provenance)]
  }

  var attributes: [String: Attribute] {
    if let movement { return movement.attributes }
    guard let lowered, (Self.tolerance + 1..<100 - Self.tolerance).contains(lowered) else {
      return [:]
    }
    return ["lowered": Self.percent(lowered, "Lowered")]
  }

  mutating func observe(_ observation: Observation, at now: Duration) {
    switch observation {
    case .lowered(let value?):
      updatePosition(inversion.positions ? 100 - value : value, at: now)
    case .lowered(nil):
      if lowered != nil { assumedEnd = nil }
      lowered = nil
    case .end(let end):
      updatePosition((inversion.commands ? end.opposite : end).lowered, at: now)
    case .motion(let end): updateDirection(inversion.commands ? end?.opposite : end, at: now)
    default: break
    }
  }

  private mutating func updatePosition(_ new: Int, at now: Duration) {
    let old = lowered
    lowered = new
    assumedEnd = nil
    let hasMoved = old.map { abs(new - $0) > Self.tolerance } ?? false
    if hasMoved { movement?.isReported = true }
    if let movement {
      if abs(new - (movement.wanted ?? movement.target).lowered) <= Self.tolerance {
        self.movement = nil
        problem = nil
      } else if hasMoved, let wanted = movement.wanted,
        abs(new - wanted.opposite.lowered) <= Self.tolerance
      {
        end(movement)
      } else if movement.wanted == nil {
        self.movement?.deadline = now + Self.silenceTimeout
      }
    } else if let old, hasMoved, restState == "stopped" {
      // The cover moves without a command: with its own buttons.
      start(new > old ? .down : .up, wanted: nil, from: new, at: now)
      movement?.deadline = now + Self.silenceTimeout
    }
  }

  private mutating func updateDirection(_ end: CoverEnd?, at now: Duration) {
    guard let end else { return stop(at: now) }
    if let lowered, abs(lowered - end.lowered) <= Self.tolerance, movement == nil { return }
    if movement?.target != end {
      start(end, wanted: movement?.wanted, from: lowered, at: now)
    }
    movement?.isReported = true
  }

  /// Handles the report that the cover stands still.
  private mutating func stop(at now: Duration) {
    guard let movement else { return }
    // It may report its rest once more before it begins to move.
    guard movement.isReported || movement.wanted == nil else {
      self.movement?.deadline = min(movement.deadline, now + Self.silenceTimeout)
      return
    }
    end(movement)
  }

  /// Ends a movement: the cover rests.
  private mutating func end(_ movement: CoverMovement) {
    self.movement = nil
    guard let wanted = movement.wanted else { return }
    guard let lowered else {
      assumedEnd = wanted
      return
    }
    if abs(lowered - wanted.lowered) <= Self.restTolerance {
      restingPlaces[wanted] = lowered
      problem = nil
    } else if abs(lowered - wanted.opposite.lowered) <= Self.tolerance {
      problem = oppositeProblem(after: wanted, hasMoved: movement.isReported)
    } else {
      problem =
        "the screen did not reach \"\(name(of: wanted))\"; it stopped at \(lowered) %"
    }
  }

  /// The sentences about a screen that rests at the end opposite to the wanted one.
  private func oppositeProblem(after wanted: CoverEnd, hasMoved: Bool) -> String {
    let (name, opposite) = (name(of: wanted), name(of: wanted.opposite))
    let event =
      hasMoved
      ? "it went the other way: after \"\(name)\" the screen reports \"\(opposite)\""
      : "after \"\(name)\" the screen still reports \"\(opposite)\""
    let change =
      "if it is \(name), change \"invertedPositions\" to \(!inversion.positions); if it is \(opposite), "
      + (hasMoved
        ? "change \"invertedCommands\" to \(!inversion.commands)"
        : "check its motor, or change \"invertedCommands\" to \(!inversion.commands)")
    return "\(event). Look at the screen: \(change)"
  }

  private mutating func start(_ end: CoverEnd, wanted: CoverEnd?, from: Int?, at now: Duration) {
    let distance = abs(end.lowered - (from ?? end.opposite.lowered))
    let time = travel * (Double(distance) / 100)
    let seconds = JSON.number((time / .milliseconds(100)).rounded() / 10)
    movement = CoverMovement(
      target: end, wanted: wanted, isReported: wanted == nil,
      attributes: [
        "from": Self.percent(from ?? end.opposite.lowered, "From"),
        "towards": Self.percent(end.lowered, "Towards"),
        "takes": Attribute(seconds, unit: "s", label: "Takes"),
        "remaining": Attribute(seconds, unit: "s", label: "Remaining"),
      ],
      deadline: now + (wanted == nil ? time : time * 1.5) + Self.silenceTimeout)
  }

  mutating func forget() {
    lowered = nil
    assumedEnd = nil
    movement = nil
  }

  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest {
    switch goal {
    case .end(let end): return .move(inversion.commands ? end.opposite : end)
    case .standstill: return .stop
    default: throw .noSuchCommand
    }
  }

  func confirms(_ goal: Goal, _ answer: CommandAnswer) -> Bool {
    switch goal {
    // Any message after the command confirms it, because not every cover reports its motion.
    case .end(let end):
      answer != .none || movement?.target == end || (movement == nil && isReportedAt(end))
    case .standstill: movement == nil && lowered != nil || answer != .none
    default: false
    }
  }

  private func isReportedAt(_ end: CoverEnd) -> Bool {
    lowered != nil && restState == name(of: end)
  }

  private func name(of end: CoverEnd) -> String { end == .up ? "up" : "down" }

  mutating func didAccept(_ goal: Goal, at now: Duration) {
    problem = nil
    switch goal {
    case .end(let end):
      if movement == nil, isReportedAt(end) { return }
      let wasReported = movement?.target == end && movement?.isReported == true
      start(end, wanted: end, from: lowered, at: now)
      movement?.isReported = wasReported
    case .standstill: movement = nil
    default: break
    }
  }

  mutating func tick(at now: Duration) -> Goal? {
    if let movement, movement.deadline <= now { end(movement) }
    return nil
  }

  private static func percent(_ value: Int, _ label: String) -> Attribute {
    Attribute(.integer(value), unit: "%", label: label)
  }
}
