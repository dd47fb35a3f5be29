import JSON

/// A popcorn popper.
public protocol PopcornPopper: Switchable {}

extension PopcornPopper {
  public var role: Role { .popcornPopper }

  /// Pops one load, and waits until it pops.
  public func pop() async throws(DeviceError) { try await perform("pop") }
}

/// A popcorn popper that passes its calls on to a device of the role `popcornPopper`.
package final class PopcornPopperConnection: PopcornPopper, DeviceConnection {
  package let device: any Device

  package init(_ device: any Device) { self.device = device }
}

extension RoleDefinition {
  static let popcornPopper = RoleDefinition(
    "popcorn popper", PopcornPopperCommand.self, offOrder: 4, [.power(of: "popper"), .popping])
}

extension DeviceTrait {
  /// One load of popcorn at a time; never repeated after a restart.
  static let popping = DeviceTrait(
    .popping,
    commands: [
      CommandSpec(
        "pop", settled: .anyValue(.popping, ["popping", "done"]), within: .seconds(30),
        manner: .momentary, progress: "popping",
        help: "Pops one load; done as soon as it pops. While it pops, nothing is sent.")
    ],
    states: [StateSpec(.popping, .words(["idle", "popping", "done"]), retention: .none)])
}

/// The commands of the popcorn popper.
public enum PopcornPopperCommand: RoleCommand {
  case on, off, pop

  /// The names in `devices.json` and the API.
  public enum Name: String, CaseIterable, Sendable { case on, off, pop }
  public static let role = Role.popcornPopper

  public init?(_ name: Name, _ argument: JSON?) {
    switch name {
    case .on: self = .on
    case .off: self = .off
    case .pop: self = .pop
    }
  }

  public var invocation: Invocation<Name> {
    switch self {
    case .on: .init(.on)
    case .off: .init(.off)
    case .pop: .init(.pop)
    }
  }
}
