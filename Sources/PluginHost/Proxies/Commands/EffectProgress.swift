import Devices
import JSON
import PluginProtocol

/// The effect of a command so far, according to the reports of its device since the command was sent. Decides when the
/// command is done and when it has failed. A value without a clock: each call passes the present time.
///
/// Gear rounds, limits and fades what it is told. So a level that rests at another value than the wanted one, after the
/// command, is the effect; and a movement towards the wanted value extends the wait.
struct EffectProgress: Sendable {
  enum Verdict: Sendable {
    /// The device reports the effect, or rests at another level.
    case observed
    case failed(DeviceError)
  }

  /// How long a level or a position must stay the same to count as resting. Gear that reports its way more slowly
  /// must rest for longer: one and a half times its longest pause.
  static let restTime = Duration.seconds(3)
  /// The longest time in which a device may go on reporting the state from before an accepted command.
  static let reactionTime = Duration.seconds(15)
  /// The longest time in which a device may be out of reach. Projectors drop their network while they wake.
  static let longestLoss = Duration.seconds(60)
  /// The largest distance, in %, from the wanted level at which a level counts as the effect although the command has
  /// not changed it: the least or the greatest level of a dimmer, for example.
  static let nearness = 25

  /// A setting from 0 to 100 %.
  private struct Level: Sendable {
    let key: StateKey
    let goal: Int
    /// Whether resting at another level is an effect. It is not for "off".
    let mayDiffer: Bool
    /// The level when the command was sent.
    let before: Int?
    /// The smallest distance from the goal so far.
    var closest: Int
    /// The newest level since then, and the time of its first report.
    var reported: (value: Int, since: Duration)?
    /// The longest time between two changes.
    var longestPause = Duration.zero
  }

  let command: Command
  let sent: Duration
  private var accepted: Duration
  /// When the command fails without its effect.
  private var deadline: Duration
  private var level: Level?
  /// The newest movement towards the effect, such as "warming".
  private var movement: JSON?
  /// The newest value of the settled key that is at rest and not the wanted one, with the times of its first and its
  /// newest report.
  private var rest: (value: JSON, since: Duration, newest: Duration)?
  /// Since when the value of the settled key is unknown; nil while it is known.
  private var lostSince: Duration?

  /// Begins with a command that is sent now.
  ///
  /// - Parameter state: The known state of the device.
  init(_ command: Command, in state: DeviceState, at now: Duration) {
    self.command = command
    sent = now
    accepted = now
    deadline = now + command.spec.longest
    guard let (key, goal, mayDiffer) = command.level else { return }
    let before = state[key]?.integer
    level = Level(
      key: key, goal: goal, mayDiffer: mayDiffer, before: before,
      closest: before.map { abs($0 - goal) } ?? .max)
  }

  /// Records that the device has accepted the command.
  mutating func markAccepted(at now: Duration) {
    accepted = now
    deadline = max(deadline, now + command.spec.longest)
  }

  /// Records a report of the device.
  ///
  /// - Parameter state: The state with the values of the report.
  mutating func record(_ report: StateNotification, in state: DeviceState, at now: Duration) {
    if let key = level?.key, report.values[key] != nil, let value = state[key]?.integer {
      recordLevel(value, at: now)
    }
    guard let key = command.spec.settled.key, report.values[key] != nil else { return }
    guard let value = state[key] else {
      lostSince = lostSince ?? now
      return
    }
    lostSince = nil
    guard level == nil, case .value(_, let goal) = command.spec.settled, value != goal,
      let spec = command.role.states.first(where: { $0.key == key })
    else { return }
    if spec.isMovement(value, towards: goal) { movement = value }
    guard spec.isRest(value) else {
      rest = nil
      return
    }
    rest = (value, rest.flatMap { $0.value == value ? $0.since : nil } ?? now, now)
  }

  private mutating func recordLevel(_ value: Int, at now: Duration) {
    guard var level, value != level.reported?.value else { return }
    level.longestPause = max(level.longestPause, now - (level.reported?.since ?? sent))
    level.reported = (value, now)
    let distance = abs(value - level.goal)
    if distance < level.closest {
      level.closest = distance
      deadline = max(deadline, now + command.spec.longest)
    }
    self.level = level
  }

  /// Decides about an accepted command; nil while it must wait.
  func verdict(in state: DeviceState, at now: Duration) -> Verdict? {
    if command.isSettled(in: state) { return .observed }
    if let end = restEnd(in: state), end <= now { return .observed }
    if let end = oppositeEnd, end <= now { return .failed(oppositeError(in: state)) }
    if let lostSince, lostSince + Self.longestLoss <= now { return .failed(lossError(in: state)) }
    return deadline <= now ? .failed(command.unsettledError(in: state)) : nil
  }

  /// The next time at which ``verdict(in:at:)`` may decide without a further report.
  func nextDecision(in state: DeviceState) -> Duration {
    let times = [restEnd(in: state), oppositeEnd, lostSince.map { $0 + Self.longestLoss }]
    return times.compactMap(\.self).reduce(deadline, min)
  }

  /// When a level that is not the wanted one counts as the effect; nil if it does not.
  private func restEnd(in state: DeviceState) -> Duration? {
    guard let level, level.mayDiffer, let reported = level.reported,
      state[level.key]?.integer == reported.value
    else { return nil }
    // Lights that are off do not shine, whatever level they report.
    if level.key == .brightness, level.goal > 0, state.power == .off { return nil }
    let wait = max(Self.restTime, level.longestPause * 1.5)
    if reported.value != level.before { return min(reported.since + wait, deadline) }
    guard abs(reported.value - level.goal) <= Self.nearness else { return nil }
    return min(max(reported.since, accepted) + wait, deadline)
  }

  /// When the device counts as resting in another state than the wanted one, after a movement towards the wanted one
  /// or after its reaction time; nil if it does not.
  private var oppositeEnd: Duration? {
    guard let rest else { return nil }
    guard let movement else {
      return rest.newest >= accepted + Self.reactionTime ? rest.newest : nil
    }
    let spec = command.spec.settled.key.flatMap { key in
      command.role.states.first { $0.key == key }
    }
    // A screen may report a stop just before it reports its end.
    return spec?.hasKnownEnd(movement) == true ? rest.since : rest.since + Self.restTime
  }

  // MARK: Errors

  private func oppositeError(in state: DeviceState) -> DeviceError {
    let key = command.spec.settled.key?.rawValue ?? ""
    let after = movement?.string.map { " after \"\($0)\"" } ?? ""
    return DeviceError(
      .failed,
      "\"\(command)\" was accepted, but the device reports \(key) \(rest?.value ?? .null)\(after)",
      hint: state.problem ?? "Look at the device, then send the command again.")
  }

  private func lossError(in state: DeviceState) -> DeviceError {
    DeviceError(
      .unavailable,
      "\"\(command)\" was accepted, but the device has been out of reach for "
        + "\(Int(Self.longestLoss.seconds)) s",
      hint: state.problem ?? "Check its power and its network.")
  }
}

extension Command {
  /// The level that the command sets, and whether another one may be its effect; `nil` if it sets none.
  fileprivate var level: (key: StateKey, goal: Int, mayDiffer: Bool)? {
    if let brightness { return (.brightness, brightness, true) }
    if let volume { return (.volume, volume, true) }
    // Lights that fade out report their way.
    let isLightsOff = role.has(.brightness) && spec.settled == .value(.power, "off")
    return isLightsOff ? (.brightness, 0, false) : nil
  }
}

extension DeviceState {
  /// The fault that the device's plugin names, with what to do.
  var problem: String? { attributes["problem"]?.value.string }
}
