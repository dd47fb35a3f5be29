import Devices
import JSON

/// The state that a command shall reach.
enum Goal: Sendable, Hashable {
  case power(Bool)
  /// Lights on at 1 to 100 %.
  case brightness(Int)
  /// A screen at one of its ends.
  case end(CoverEnd)
  /// A screen that does not move.
  case standstill
  /// A popper that pops one load of popcorn.
  case load
}

/// The reports that have followed a command.
enum CommandAnswer: Sendable, Hashable {
  /// Nothing.
  case none
  /// Its state.
  case reported
  /// Its state, also after the command was sent once more.
  case repeated
}

/// A value of the state, and its provenance: whether the device reported it or the plugin assumes it.
struct KnownValue: Sendable, Hashable {
  let value: JSON
  var provenance = Provenance.reported
}

/// The state of an appliance, according to the observations in its messages. A model has no I/O and no clock: each call
/// passes the present time.
protocol ApplianceModel: Sendable {
  /// The known values of the state.
  var values: [StateKey: KnownValue] { get }
  /// The attributes of the present movement or position, such as `remaining`.
  var attributes: [String: Attribute] { get }
  /// The names of its optional commands.
  var capabilities: Set<String> { get }
  /// The time at which `tick` must be called; nil for none.
  var deadline: Duration? { get }
  /// A sentence about a fault that the user must correct; nil for none.
  var problem: String? { get }

  /// Updates the state from an observation.
  mutating func observe(_ observation: Observation, at now: Duration)
  /// Makes the state unknown, because the device cannot be reached.
  mutating func forget()
  /// Returns the request that reaches a goal.
  ///
  /// - Throws: `notNow` if the present state does not allow the goal, `unsupported` if the appliance never does.
  func request(for goal: Goal, at now: Duration) throws(DeviceError) -> DeviceRequest
  /// Returns whether the messages confirm that the device accepted a goal's command.
  ///
  /// - Parameter answer: The reports that have followed the command.
  func confirms(_ goal: Goal, _ answer: CommandAnswer) -> Bool
  /// Whether the state may still change because of the last command that the device has accepted. The state is then
  /// queried until it rests.
  var isOnItsWay: Bool { get }
  /// Assumes the effect of a command that was just sent, because the device reports no state.
  mutating func assume(_ goal: Goal, at now: Duration)
  /// Records that a goal's command was sent. It may take effect even if the device never confirms it.
  mutating func didSend(_ goal: Goal)
  /// Records that the device refused a goal's command.
  mutating func wasRefused(_ goal: Goal)
  /// Records that the device accepted a goal's command.
  mutating func didAccept(_ goal: Goal, at now: Duration)
  /// Handles a deadline that has passed. Returns a goal that the plugin must now reach without a command; nil for none.
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
  var isOnItsWay: Bool { false }
  mutating func didSend(_ goal: Goal) {}
  mutating func wasRefused(_ goal: Goal) {}
  mutating func didAccept(_ goal: Goal, at now: Duration) {}

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
