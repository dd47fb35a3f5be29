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

  func confirms(_ goal: Goal, wasObserved: Bool) -> Bool {
    isOn.map { goal == .power($0) } ?? false
  }
}

/// Lights, with or without a dimmer.
struct LightsModel: ApplianceModel {
  let hasDimmer: Bool
  private var isOn: Bool?
  /// The last reported brightness above 0, up to 100 %. It is kept while the lights are off.
  private var level: Int?
  /// The brightness of the last command, 1 to 100 %.
  private var wanted: Int?
  /// Returns the brightness that the device reports after a command with the given brightness, both
  /// 1 to 100 %. They differ if the device's own scale is coarse.
  private let reportedBrightness: @Sendable (Int) -> Int

  init(hasDimmer: Bool, reportedBrightness: @escaping @Sendable (Int) -> Int = { $0 }) {
    self.hasDimmer = hasDimmer
    self.reportedBrightness = reportedBrightness
  }

  /// The brightness to report, 0 to 100 %. It is the commanded one while the device reports the value that the command
  /// has set: the controller waits for the commanded brightness, and devices round it to their own scale.
  private var brightness: Int? {
    guard let isOn else { return nil }
    guard isOn else { return 0 }
    guard hasDimmer else { return 100 }
    guard let level else { return nil }
    return wanted.flatMap { isResult(level, of: $0) ? $0 : nil } ?? level
  }

  /// Returns whether a reported brightness is the result of a command. The device may have rounded it by 1 %.
  private func isResult(_ level: Int, of wanted: Int) -> Bool {
    abs(level - reportedBrightness(wanted)) <= 1
  }

  var values: [StateKey: KnownValue] {
    var values: [StateKey: KnownValue] = [:]
    if let isOn { values[.power] = KnownValue(value: isOn ? "on" : "off") }
    if let brightness { values[.brightness] = KnownValue(value: .integer(brightness)) }
    return values
  }

  mutating func observe(_ observation: Observation, at now: Duration) {
    switch observation {
    case .power(let isOn): self.isOn = isOn
    case .brightness(let level): if level > 0 { self.level = level }
    default: break
    }
  }

  mutating func forget() {
    isOn = nil
    level = nil
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

  func confirms(_ goal: Goal, wasObserved: Bool) -> Bool {
    switch goal {
    case .power(let isOn): self.isOn == isOn
    case .brightness(let wanted):
      isOn == true && (!hasDimmer || level.map { isResult($0, of: wanted) } ?? false)
    default: false
    }
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

  func confirms(_ goal: Goal, wasObserved: Bool) -> Bool {
    goal == .load ? isOn == true && wasObserved : isOn.map { goal == .power($0) } ?? false
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
