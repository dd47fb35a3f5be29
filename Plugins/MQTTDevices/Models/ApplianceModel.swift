import Devices
import JSON

/// The state that a command leads to.
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

/// The state of an appliance, as its messages report it. Without I/O and clock: each call brings the time.
protocol ApplianceModel: Sendable {
  /// The known values of the state.
  var values: [StateKey: KnownValue] { get }
  /// The attributes of a movement, such as `remaining`.
  var attributes: [String: Attribute] { get }
  /// The names of its optional commands.
  var capabilities: Set<String> { get }
  /// The time at which it must be given a `tick`; nil for none.
  var deadline: Duration? { get }
  /// A sentence about a fault that a person must mend; nil for none.
  var problem: String? { get }

  /// Updates the state from an observation.
  mutating func observe(_ observation: Observation, at now: Duration)
  /// Makes the state unknown, because the device cannot be reached.
  mutating func forget()
  /// Returns the request that reaches a goal.
  ///
  /// - Throws: `notNow` or `unsupported`.
  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest
  /// Returns whether the messages confirm that the device accepted a goal's command.
  ///
  /// - Parameter wasObserved: Whether a message came since the command was sent.
  func confirms(_ goal: Goal, wasObserved: Bool) -> Bool
  /// Records that the device accepted a goal's command.
  mutating func begin(_ goal: Goal, at now: Duration)
  /// Handles a deadline that has passed. Returns a goal that the plugin must now reach by itself; nil for none.
  mutating func tick(at now: Duration) -> Goal?
  /// The request to send when the device is closed; nil for none.
  var closingRequest: DeviceRequest? { get }
}

extension ApplianceModel {
  var attributes: [String: Attribute] { [:] }
  var capabilities: Set<String> { [] }
  var deadline: Duration? { nil }
  var problem: String? { nil }
  var closingRequest: DeviceRequest? { nil }
  mutating func begin(_ goal: Goal, at now: Duration) {}

  /// Assumes the effect of a command, because the device reports no state.
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
