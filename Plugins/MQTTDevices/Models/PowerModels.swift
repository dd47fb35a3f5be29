import Devices
import JSON

/// A device that can only be turned on and off.
struct PowerModel: ApplianceModel {
  private var isOn: Bool?

  var values: [StateKey: KnownValue] {
    isOn.map { [.power: KnownValue(value: $0 ? "on" : "off")] } ?? [:]
  }

  mutating func observe(_ observation: Observation, at now: Duration) {
    if case .power(let isOn) = observation { self.isOn = isOn }
  }

  mutating func forget() { isOn = nil }

  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest {
    guard case .power(let isOn) = goal else { throw .noSuchCommand }
    return .turn(isOn)
  }

  func confirms(_ goal: Goal, _ answer: CommandAnswer) -> Bool {
    isOn.map { goal == .power($0) } ?? false
  }
}

/// Lights, with or without a dimmer.
///
/// Dimmers round, have a least and a greatest level, and fade. So a level that changes after a command confirms it, and
/// the controller waits until the level rests.
struct LightsModel: ApplianceModel {
  /// The largest distance, in %, from the commanded brightness at which an unchanged level confirms a repeated command:
  /// the lights are already as dark or as bright as they can be.
  private static let nearness = 25
  /// How often a level is queried that does not change any more after a command.
  private static let mostEqualAnswers = 2

  let hasDimmer: Bool
  private var isOn: Bool?
  /// The last reported brightness above 0, up to 100 %. It is kept while the lights are off.
  private var level: Int?
  /// Whether the lights have reported that they do not know their brightness.
  private var isLevelUnknown = false
  /// The brightness of the last command, 1 to 100 %.
  private var wanted: Int?
  /// The command that was sent last, until its level rests.
  private var sent: SentCommand?
  /// Returns the brightness that the device reports after a command with the given brightness, both
  /// 1 to 100 %. They differ if the device's own scale is coarse.
  private let reportedBrightness: @Sendable (Int) -> Int

  private struct SentCommand: Sendable, Hashable {
    /// 0 to 100 %.
    let goal: Int
    /// The brightness when the command was sent, 0 for lights that were off. If it was unknown, the first one that is
    /// reported since: it may be the old one.
    var before: Int?
    /// Whether the lights have reported a level since then.
    var hasReportedLevel = false
    /// Whether they have reported another level than before.
    var hasMoved = false
    /// The number of answers in a row without a change.
    var equalAnswers = 0
  }

  init(hasDimmer: Bool, reportedBrightness: @escaping @Sendable (Int) -> Int = { $0 }) {
    self.hasDimmer = hasDimmer
    self.reportedBrightness = reportedBrightness
  }

  /// The brightness to report, 0 to 100 %. It is the commanded one while the device reports the value that the command
  /// has set: the controller waits for the commanded brightness, and devices round it to their own scale. If the device
  /// does not know its brightness, the commanded one is assumed.
  private var brightness: KnownValue? {
    guard let isOn else { return nil }
    guard isOn else { return KnownValue(value: 0) }
    guard hasDimmer else { return KnownValue(value: 100) }
    guard let level else {
      return wanted.map { KnownValue(value: .integer($0), provenance: .assumed) }
    }
    let shown = wanted.flatMap { isResult(level, of: $0) ? $0 : nil } ?? level
    return KnownValue(value: .integer(shown))
  }

  /// Returns whether a reported brightness is the result of a command. The device may have rounded it by 1 %.
  private func isResult(_ level: Int, of wanted: Int) -> Bool {
    abs(level - reportedBrightness(wanted)) <= 1
  }

  var values: [StateKey: KnownValue] {
    var values: [StateKey: KnownValue] = [:]
    if let isOn { values[.power] = KnownValue(value: isOn ? "on" : "off") }
    if let brightness { values[.brightness] = brightness }
    return values
  }

  /// Whether the level may still change because of the last command. It is then queried, because some lights do not
  /// report their way by themselves.
  var isOnItsWay: Bool {
    guard let sent, hasDimmer, sent.equalAnswers < Self.mostEqualAnswers else { return false }
    if sent.goal == 0 { return isOn == true }
    return isOn == true && level.map { !isResult($0, of: sent.goal) } ?? false
  }

  mutating func observe(_ observation: Observation, at now: Duration) {
    switch observation {
    case .power(let isOn): self.isOn = isOn
    case .brightness(let new):
      isLevelUnknown = new == nil
      if new != 0 { recordLevel(new) }
    default: break
    }
  }

  private mutating func recordLevel(_ new: Int?) {
    // The level of lights that are off is the stored one: it is no answer to a command.
    if let new, let sent, isOn != false {
      self.sent?.hasReportedLevel = true
      self.sent?.equalAnswers = new == level ? sent.equalAnswers + 1 : 0
      let before = sent.before ?? new
      self.sent?.before = before
      if new != before { self.sent?.hasMoved = true }
    }
    level = new
  }

  mutating func forget() {
    isOn = nil
    level = nil
    isLevelUnknown = false
    sent = nil
  }

  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest {
    switch goal {
    case .power(let isOn): return .turn(isOn)
    case .brightness(let brightness) where hasDimmer: return .turn(true, brightness: brightness)
    case .brightness(100): return .turn(true)
    default:
      throw DeviceError(
        .unsupported, "these lights have no dimmer",
        hint: "Use on, off, or dim with 0 or 100.")
    }
  }

  mutating func didSend(_ goal: Goal) {
    let target: Int? =
      switch goal {
      case .brightness(let brightness): brightness
      case .power(false): 0
      default: nil
      }
    guard let target else {
      sent = nil
      return
    }
    // A command that is repeated has had no effect so far.
    if sent?.goal == target, sent?.hasMoved == false { return }
    sent = SentCommand(goal: target, before: isOn == false ? 0 : isOn == true ? level : nil)
  }

  func confirms(_ goal: Goal, _ answer: CommandAnswer) -> Bool {
    switch goal {
    case .power(let isOn):
      // Lights that fade out are on until the end.
      self.isOn == isOn || (!isOn && hasDimmer && answer != .none && isFadingOut)
    case .brightness(let wanted):
      isOn == true && (!hasDimmer || confirmsBrightness(wanted, answer))
    default: false
    }
  }

  private var isFadingOut: Bool {
    guard let sent, sent.goal == 0, sent.hasMoved, let before = sent.before, let level else {
      return false
    }
    return level < before
  }

  private func confirmsBrightness(_ wanted: Int, _ answer: CommandAnswer) -> Bool {
    guard let level else {
      // Lights that do not know their brightness, or never report it, only confirm that they are on.
      return isLevelUnknown && answer != .none || answer == .repeated
    }
    if isResult(level, of: wanted) { return true }
    guard let sent, sent.goal == wanted, sent.hasReportedLevel else { return false }
    if sent.hasMoved { return answer != .none }
    return answer == .repeated && abs(level - wanted) <= Self.nearness
  }

  mutating func didAccept(_ goal: Goal, at now: Duration) {
    if case .brightness(let brightness) = goal { wanted = brightness }
  }
}

/// A popcorn popper behind a plug. A load pops for a fixed time; then the plugin turns the plug off.
struct PopperModel: ApplianceModel {
  private let popTime: Duration
  private var isOn: Bool?
  private var load = Load.none
  /// Whether the command of a load was sent, and the plug has not reported on since. The command may
  /// still take effect, also after its timeout or cancellation.
  private var mayLoadBegin = false

  private enum Load: Hashable {
    case none
    case popping(until: Duration)
    /// The time is over, but the plug has not yet reported that it is off.
    case ending
    /// The time is over, and the plug is off.
    case done
  }

  /// - Parameter popTime: The duration of a load.
  init(popTime: Duration) { self.popTime = popTime }

  var values: [StateKey: KnownValue] {
    guard let isOn else { return [:] }
    let popping =
      switch load {
      case .none: "idle"
      case .popping: "popping"
      case .ending, .done: "done"
      }
    return [
      .power: KnownValue(value: isOn ? "on" : "off"),
      // The plug reports only its power; `popping` is derived from it.
      .popping: KnownValue(value: .string(popping)),
    ]
  }

  var deadline: Duration? { if case .popping(let end) = load { end } else { nil } }

  /// The request that turns the plug off during a load, and before a load that may still begin;
  /// otherwise the plug would stay on after the plugin's end.
  var closingRequest: DeviceRequest? {
    switch load {
    case .popping, .ending: .turn(false)
    case .none, .done: mayLoadBegin ? .turn(false) : nil
    }
  }

  mutating func observe(_ observation: Observation, at now: Duration) {
    guard case .power(let isOn) = observation else { return }
    self.isOn = isOn
    switch load {
    case .popping where !isOn: load = .none
    case .ending where !isOn: load = .done
    default: if isOn, mayLoadBegin { beginLoad(at: now) }
    }
  }

  private mutating func beginLoad(at now: Duration) {
    load = .popping(until: now + popTime)
    mayLoadBegin = false
  }

  mutating func forget() { isOn = nil }

  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest {
    switch (goal, load) {
    case (.power(false), _): return .turn(false)
    // The request to turn the plug off is repeated, and would end what a request to turn it on begins.
    case (.power(true), .ending), (.load, .ending):
      throw DeviceError(
        .notNow, "the plug is not confirmed to be off after the last load",
        hint: "Try again when it is off.", retryAfter: DeviceModel.retryInterval)
    case (.power(true), _): return .turn(true)
    case (.load, .popping(let end)):
      throw DeviceError(
        .notNow, "a load is popping", hint: "Try again when it is done.",
        retryAfter: max(end - now, .zero))
    case (.load, _): return .turnOn(for: popTime)
    default: throw .noSuchCommand
    }
  }

  mutating func didSend(_ goal: Goal) {
    switch goal {
    case .load: mayLoadBegin = true
    // This command replaces that of the load.
    case .power(true): mayLoadBegin = false
    default: break
    }
  }

  mutating func wasRefused(_ goal: Goal) {
    if goal == .load { mayLoadBegin = false }
  }

  func confirms(_ goal: Goal, _ answer: CommandAnswer) -> Bool {
    goal == .load ? isOn == true && answer != .none : isOn.map { goal == .power($0) } ?? false
  }

  mutating func didAccept(_ goal: Goal, at now: Duration) {
    switch goal {
    case .load: beginLoad(at: now)
    case .power(false):
      load = .none
      mayLoadBegin = false
    case .power(true): if load == .done { load = .none }
    default: break
    }
  }

  mutating func tick(at now: Duration) -> Goal? {
    guard case .popping(let end) = load, end <= now else { return nil }
    load = .ending
    return .power(false)
  }
}
