import Devices
import JSON
import PluginKit
import PluginProtocol

/// What every simulated device has: its options, its time, and its voice.
struct Simulation: Sendable {
  /// What a device does with a command that it cannot carry out because it is off.
  enum WhenOff: String, CaseIterable, Sendable {
    /// Says so.
    case refuse
    /// Accepts it and does nothing, as devices without a way back do.
    case ignore
  }

  let options: SimulationOptions
  let clock: any TheaterClock
  /// How many times faster than life everything but sound goes; 0 takes no time at all.
  let speed: Double
  let whenOff: WhenOff
  private let context: DeviceContext
  private let reportsState: Bool

  init(context: DeviceContext, options: SimulationOptions, clock: any TheaterClock)
    throws(DeviceError)
  {
    self.context = context
    self.options = options
    self.clock = clock
    speed = try options.number("speed", in: 0...1000, or: 1)
    whenOff = try options.word("whenOff", or: .refuse)
    reportsState = try options.flag("reportsState", or: true)
  }

  /// How long something takes here that takes `seconds` in life.
  func time(_ seconds: Double) -> Duration {
    guard speed > 0 else { return .zero }
    return .milliseconds(Int64((seconds / speed * 1000).rounded()))
  }

  /// A time that is an option in seconds, from 0 to 600, at this device's speed.
  func time(_ option: String, or fallback: Double) throws(DeviceError) -> Duration {
    time(try options.number(option, in: 0...600, or: fallback))
  }

  /// Tells the controller, unless this device is one that cannot.
  func report(_ values: [StateKey: JSON], attributes: [String: Attribute] = [:]) {
    guard reportsState else { return }
    if !values.isEmpty { context.report(values) }
    if !attributes.isEmpty { context.report(attributes: attributes) }
  }

  /// Writes to the controller's log.
  func log(_ message: String) { context.log(.info, message) }

  /// What this device says when it opens.
  func capabilities(_ names: Set<String> = [], cables: [CableKind] = []) -> Capabilities {
    Capabilities(names: names, reportsState: reportsState, cables: cables)
  }

  /// Whether a command may go on; an ignoring device accepts it and does nothing.
  ///
  /// - Throws: `.notNow` when the device is off and says so.
  func isOn(_ power: Power, _ name: String) throws(DeviceError) -> Bool {
    if power == .on { return true }
    guard whenOff == .refuse else { return false }
    throw DeviceError(.notNow, "the \(name) is off", hint: "Turn it on first.")
  }
}
