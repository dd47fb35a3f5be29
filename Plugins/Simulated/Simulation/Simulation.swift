import Devices
import JSON
import Platform
import PluginKit
import PluginProtocol

/// The common parts of a simulated device: its options, its time and its reports.
struct Simulation: Sendable {
  /// The answer to a command that needs the device on, while it is off.
  enum WhenOff: String, CaseIterable, Sendable {
    /// Refuses it with an error.
    case refuse
    /// Accepts it and does nothing, as devices without a return channel do.
    case ignore
  }

  let options: OptionReader
  let clock: any TheaterClock
  /// The factor by which all actions except sound are faster than in reality, 0–1000. With 0, actions take no time.
  let speed: Double
  let whenOff: WhenOff
  private let context: DeviceContext
  private let reportsState: Bool

  init(context: DeviceContext, options: OptionReader, clock: any TheaterClock)
    throws(DeviceError)
  {
    self.context = context
    self.options = options
    self.clock = clock
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
  func report(_ values: [StateKey: JSON], attributes: [String: Attribute] = [:]) {
    guard reportsState else { return }
    if !attributes.isEmpty { context.report(attributes: attributes) }
    if !values.isEmpty { context.report(values) }
  }

  /// Reports the levels of an amplifier's sound, unless the option `reportsState` is off.
  func report(_ levels: SoundLevels) {
    if reportsState { context.report(levels) }
  }

  /// The attributes of a change that takes time, by which a page shows its progress.
  ///
  /// - Parameters:
  ///   - remaining: The time from now to its end; zero when it has ended.
  ///   - whole: The time from its beginning to its end.
  static func progress(remaining: Duration, of whole: Duration) -> [String: Attribute] {
    [
      "remaining": Attribute(.number(remaining.tenths), unit: "s", label: "Remaining"),
      "takes": Attribute(.number(whole.tenths), unit: "s", label: "Takes"),
    ]
  }

  /// Writes to the controller's log.
  func log(_ message: String) { context.log(.info, message) }

  /// Returns the capabilities that the device announces when it opens.
  func capabilities(_ names: Set<String> = [], cables: [CableKind] = []) -> Capabilities {
    Capabilities(names: names, reportsState: reportsState, cables: cables)
  }

  /// Returns whether to perform a command of the device `name`; false if the device is off and ignores commands.
  ///
  /// - Throws: `.notNow` if the device is off and refuses.
  func acceptsCommand(at power: Power, of name: String) throws(DeviceError) -> Bool {
    if power == .on { return true }
    guard whenOff == .refuse else { return false }
    throw DeviceError(.notNow, "the \(name) is off", hint: "Turn it on first.")
  }
}

extension Duration {
  /// This time in seconds, rounded to a tenth.
  fileprivate var tenths: Double { (self / .milliseconds(100)).rounded() / 10 }
}
