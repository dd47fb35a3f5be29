import JSON

/// A screen that is let down and rolled up.
public protocol Screen: Device {}

extension Screen {
  public var role: Role { .screen }

  /// Lets the screen down, and waits until it reports `down`.
  public func lower() async throws(DeviceError) { try await perform("down") }
  /// Rolls the screen up, and waits until it is.
  public func raise() async throws(DeviceError) { try await perform("up") }
  /// Stops the screen where it is.
  ///
  /// - Throws: `.unsupported` if its motor lacks the capability `stop`.
  public func stop() async throws(DeviceError) { try await perform("stop") }
}

/// A screen that passes its calls on to a device of the role `screen`.
package final class ScreenConnection: Screen, DeviceConnection {
  package let device: any Device

  package init(_ device: any Device) { self.device = device }
}

extension RoleDefinition {
  static let screen = RoleDefinition("screen", ScreenCommand.self, offOrder: 7, [.position])
}

extension DeviceTrait {
  /// Up or down; "off" is up.
  static let position = DeviceTrait(
    .position,
    commands: [
      CommandSpec(
        "up", settled: .value(.position, "up"), within: .seconds(120), manner: .cancellable,
        help: "Rolls the screen up."),
      CommandSpec(
        "down", settled: .value(.position, "down"), within: .seconds(120), manner: .cancellable,
        help: "Lets the screen down."),
      CommandSpec(
        "stop", settled: .accepted, capability: "stop", manner: .urgent, replaces: [.position],
        help: "Stops the screen where it is, if its motor can."),
    ],
    states: [
      StateSpec(
        .position, .words(["up", "down", "moving", "stopped"]), retention: .whileRunning,
        transitions: [
          .init(value: "moving", description: "moving"),
          .init(value: "stopped", clearsWanted: true),
        ])
    ],
    off: "up"
  ) { restoration in
    restoration.missing(.position)?.string.map { [.init(.setting, $0)] } ?? []
  }
}

/// The commands of the screen.
public enum ScreenCommand: RoleCommand {
  case up, down, stop

  /// The names in `devices.json` and the API.
  public enum Name: String, CaseIterable, Sendable { case up, down, stop }
  public static let role = Role.screen

  public init?(_ name: Name, _ argument: JSON?) {
    switch name {
    case .up: self = .up
    case .down: self = .down
    case .stop: self = .stop
    }
  }

  public var invocation: Invocation<Name> {
    switch self {
    case .up: .init(.up)
    case .down: .init(.down)
    case .stop: .init(.stop)
    }
  }
}
