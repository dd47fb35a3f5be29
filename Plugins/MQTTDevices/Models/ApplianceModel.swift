import Devices
import JSON

/// The end of a command.
enum Goal: Sendable, Hashable {
  case power(Bool)
  /// 1 to 100 %.
  case brightness(Int)
  case end(CoverEnd)
  case standstill
  /// One load of popcorn.
  case load
}

/// A value of the state with its provenance.
struct KnownValue: Sendable, Hashable {
  let value: JSON
  var provenance = Provenance.reported
}

/// The state of an appliance as its messages show it. Pure: times come in with each call.
protocol ApplianceModel: Sendable {
  /// What is known of the state.
  var values: [StateKey: KnownValue] { get }
  /// The attributes of a change that takes time.
  var attributes: [String: Attribute] { get }
  /// The optional commands that it has.
  var capabilities: Set<String> { get }
  /// The time of its own next action; nil for none.
  var deadline: Duration? { get }
  /// A sentence about something that a person must know; nil for none.
  var problem: String? { get }

  /// Takes a fact.
  mutating func observe(_ observation: Observation, at now: Duration)
  /// Forgets what its messages have shown: contact was lost.
  mutating func forget()
  /// The request that reaches a goal.
  ///
  /// - Throws: `notNow` or `unsupported`.
  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest
  /// Whether its messages show that a goal's command was accepted.
  ///
  /// - Parameter wasObserved: Whether a message came since the command was sent.
  func shows(_ goal: Goal, wasObserved: Bool) -> Bool
  /// Takes note of an accepted command.
  mutating func begin(_ goal: Goal, at now: Duration)
  /// Does what is due, and returns the goal that it must reach by itself now.
  mutating func tick(at now: Duration) -> Goal?
  /// The request to send before the plugin leaves the device; nil for none.
  var farewell: DeviceRequest? { get }
}

extension ApplianceModel {
  var attributes: [String: Attribute] { [:] }
  var capabilities: Set<String> { [] }
  var deadline: Duration? { nil }
  var problem: String? { nil }
  var farewell: DeviceRequest? { nil }
  mutating func begin(_ goal: Goal, at now: Duration) {}

  /// Takes the effect of a command for granted, because the device reports nothing.
  mutating func assume(_ goal: Goal, at now: Duration) {
    switch try? request(for: goal, at: now) {
    case .turn(let isOn, let brightness):
      if let brightness { observe(.brightness(brightness), at: now) }
      observe(.power(isOn), at: now)
    case .turnOn: observe(.power(true), at: now)
    case .move(let end): observe(.motion(end), at: now)
    case .stop: observe(.motion(nil), at: now)
    case .query, nil: break
    }
  }

  mutating func tick(at now: Duration) -> Goal? { nil }
}

extension DeviceError {
  static let noSuchCommand = DeviceError(
    .unsupported, "this device is only turned on and off",
    hint: "Use on or off, or a plugin that controls the device itself.")
}
