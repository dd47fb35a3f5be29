import JSON

/// The lights of the theater.
public protocol TheaterLights: Switchable {}

extension TheaterLights {
  public var role: Role { .lights }

  /// Sets the brightness, 0 to 100 %.
  public func dim(to brightness: Int) async throws(DeviceError) {
    try await perform("dim", .integer(brightness))
  }
}

/// Lights that pass their calls on to a device of the role `lights`.
package final class TheaterLightsConnection: TheaterLights, DeviceConnection {
  package let device: any Device

  package init(_ device: any Device) { self.device = device }
}

extension RoleDefinition {
  static let lights = RoleDefinition(
    "lights", LightsCommand.self, offOrder: 8,
    [
      .power(
        on: CommandSpec(
          "on", settled: .value(.brightness, 100), manner: .setting(.brightness),
          help: "Turns the lights fully on."),
        off: .off("Turns the lights off.")),
      .brightness,
    ])
}

extension DeviceTrait {
  /// The brightness.
  static let brightness = DeviceTrait(
    .brightness,
    commands: [
      CommandSpec(
        "dim", .required(.percent), settled: .argument(.brightness),
        manner: .setting(.brightness), help: "Sets the brightness, 0 to 100 %.")
    ],
    states: [StateSpec(.brightness, .argument(.percent))]
  ) { restoration in
    // Lights that are turned on shine fully, whatever they reported while they were off.
    let isTurnedOn = restoration.missing(.power) != nil
    let brightness =
      isTurnedOn ? restoration.wanted[.brightness] : restoration.missing(.brightness)
    return brightness.map { [.init(.setting, "dim", $0)] } ?? []
  }
}

extension Command {
  /// The brightness in % that the command sets; `nil` for any other command.
  package var brightness: Int? {
    switch spec.settled {
    case .value(.brightness, let level): level.integer
    case .argument(.brightness): argument?.integer
    default: nil
    }
  }
}

/// The commands of the lights.
public enum LightsCommand: RoleCommand {
  case on
  case off
  /// Brightness in %, 0 to 100.
  case dim(Int)

  /// The names in `devices.json` and the API.
  public enum Name: String, CaseIterable, Sendable { case on, off, dim }
  public static let role = Role.lights

  public init?(_ name: Name, _ argument: JSON?) {
    switch name {
    case .on: self = .on
    case .off: self = .off
    case .dim:
      guard let brightness = argument?.integer else { return nil }
      self = .dim(brightness)
    }
  }

  /// The command as name and argument; the brightness is an integer in %.
  public var invocation: Invocation<Name> {
    switch self {
    case .on: .init(.on)
    case .off: .init(.off)
    case .dim(let brightness): .init(.dim, .integer(brightness))
    }
  }
}
