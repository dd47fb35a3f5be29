import Devices
import InMemoryDevices
import Platform
import PluginKit
import PluginProtocol

/// The common parts of a simulated device: its options, its time, its faults and its reports.
struct Simulation: Sendable {
  let options: OptionReader
  let clock: any TheaterClock
  /// The factor by which all actions except sound are faster than in reality, 0–1000. With 0, actions take no time.
  let speed: Double
  let whenOff: WhenOff
  let faults: Faults
  private let context: DeviceContext
  private let reportsState: Bool

  init(
    _ context: DeviceContext, commands: [CommandSpec], clock: any TheaterClock,
    endProcess: @escaping @Sendable () -> Void
  ) throws(DeviceError) {
    self.context = context
    options = OptionReader(context.options)
    self.clock = clock
    faults = try Faults(options, commands: commands, clock: clock, endProcess: endProcess)
    speed = try options.number("speed", in: 0...1000, or: 1)
    whenOff = try options.choice("whenOff", or: .refuse)
    reportsState = try options.flag("reportsState", or: true)
  }

  /// Returns how long an action of `seconds` takes at this device's speed.
  func time(_ seconds: Double) -> Duration {
    guard speed > 0 else { return .zero }
    return .milliseconds(Int64((seconds / speed * 1000).rounded()))
  }

  /// Reads an option in seconds, from 0 to 600, and returns that time at this device's speed.
  func time(_ option: String, or fallback: Double) throws(DeviceError) -> Duration {
    time(try options.number(option, in: 0...600, or: fallback))
  }

  /// Reports to the controller, unless the option `reportsState` is off. The attributes come first,
  /// so that a reader of the values also sees the attributes that belong to them.
  func report(_ change: ModelReport) {
    guard reportsState else { return }
    if !change.attributes.isEmpty { context.report(attributes: change.attributes) }
    if !change.values.isEmpty { context.report(change.values) }
  }

  /// Reports the levels of an amplifier's sound, unless the option `reportsState` is off.
  func report(_ levels: SoundLevels) {
    if reportsState { context.report(levels) }
  }

  /// Writes to the controller's log.
  func log(_ message: String) { context.log(.info, message) }

  /// Returns the capabilities that the device announces when it opens.
  func capabilities(_ names: Set<String> = [], cables: [CableKind] = []) -> Capabilities {
    Capabilities(names: names, reportsState: reportsState, cables: cables)
  }
}
