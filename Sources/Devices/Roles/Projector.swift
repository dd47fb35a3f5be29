import JSON

/// A projector.
public protocol Projector: Switchable {}

extension Projector {
  public var role: Role { .projector }

  /// Shows a 4:3 picture.
  public func setTVMode() async throws(DeviceError) { try await perform("tvMode") }
  /// Shows a 16:9 picture.
  public func setWideScreenMode() async throws(DeviceError) {
    try await perform("wideScreenMode")
  }
}

/// A projector that passes its calls on to a device of the role `projector`.
package final class ProjectorConnection: Projector, DeviceConnection {
  package let device: any Device

  package init(_ device: any Device) { self.device = device }
}

extension RoleDefinition {
  static let projector = RoleDefinition(
    "projector", ProjectorCommand.self, offOrder: 6,
    [
      .power(
        on: .on(
          "Turns the lamp on; the picture appears when the lamp is warm.", within: .seconds(180),
          manner: .cancellable),
        off: .off("Turns the lamp off; the fan runs until it is cool.", within: .seconds(300))),
      .picture,
    ])
}

extension DeviceTrait {
  /// The shape of the picture.
  static let picture = DeviceTrait(
    .picture,
    commands: [
      CommandSpec("tvMode", settled: .value(.picture, "tv"), help: "Shows a 4:3 picture."),
      CommandSpec(
        "wideScreenMode", settled: .value(.picture, "wideScreen"), help: "Shows a 16:9 picture."),
    ],
    states: [StateSpec(.picture, .words(["tv", "wideScreen"]))]
  ) { restoration in
    restoration.missing(.picture).map {
      [.init(.setting, $0 == "tv" ? "tvMode" : "wideScreenMode")]
    } ?? []
  }
}

/// The commands of the projector.
public enum ProjectorCommand: RoleCommand {
  case on, off, tvMode, wideScreenMode

  /// The names in `devices.json` and the API.
  public enum Name: String, CaseIterable, Sendable { case on, off, tvMode, wideScreenMode }
  public static let role = Role.projector

  public init?(_ name: Name, _ argument: JSON?) {
    switch name {
    case .on: self = .on
    case .off: self = .off
    case .tvMode: self = .tvMode
    case .wideScreenMode: self = .wideScreenMode
    }
  }

  public var invocation: Invocation<Name> {
    switch self {
    case .on: .init(.on)
    case .off: .init(.off)
    case .tvMode: .init(.tvMode)
    case .wideScreenMode: .init(.wideScreenMode)
    }
  }
}
