import JSON

/// A device that can be turned on and off.
public protocol Switchable: Device {}

extension Switchable {
  /// Turns the device on, and waits until it reports that it is.
  public func turnOn() async throws(DeviceError) { try await perform("on") }
  /// Turns the device off, and waits until it reports that it is.
  public func turnOff() async throws(DeviceError) { try await perform("off") }
}

extension DeviceTrait {
  /// On and off.
  ///
  /// - Parameter device: Its name in the help: "popper".
  static func power(of device: String) -> DeviceTrait {
    power(on: .on("Turns the \(device) on."), off: .off("Turns the \(device) off."))
  }

  /// On and off, with the role's own command rows.
  static func power(on: CommandSpec, off: CommandSpec) -> DeviceTrait {
    let values = StateShape.words(Power.allCases.map(\.rawValue))
    return DeviceTrait(
      .power, commands: [on, off],
      states: [
        StateSpec(
          .power, values, retention: .whileRunning,
          transitions: [
            .init(value: "warming", target: "on", description: "warming"),
            .init(value: "cooling", target: "off", description: "cooling"),
            .init(value: "unknown"),
          ])
      ],
      off: off.name
    ) { restoration in
      restoration.missing(.power)?.string.map { [.init(.power, $0)] } ?? []
    }
  }
}

extension CommandSpec {
  static func on(
    _ help: String, within longest: Duration = .seconds(10), manner: CommandManner = .ordinary
  ) -> CommandSpec {
    CommandSpec(
      "on", settled: .value(.power, "on"), within: longest, manner: manner, help: help)
  }

  static func off(_ help: String, within longest: Duration = .seconds(10)) -> CommandSpec {
    CommandSpec(
      "off", settled: .value(.power, "off"), within: longest, manner: .urgent, effect: .releases,
      help: help)
  }
}

extension Command {
  /// Whether the command turns a device on.
  package var turnsOn: Bool { spec.settled == .value(.power, "on") }
}
