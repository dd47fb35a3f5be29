import JSON

/// What the lights can be told.
public enum LightsCommand: RoleCommand {
  case on
  case off
  /// Brightness in %, 0 to 100.
  case dim(Int)

  public enum Name: String, CaseIterable, Sendable { case on, off, dim }
  public static let role = Role.lights
  public static let table = CommandTable<Self>()

  public static func row(_ name: Name) -> CommandRow<Self> {
    switch name {
    case .on:
      .plain(
        .on, settled: .value(.brightness, 100), manner: .setting(.brightness),
        help: "Turns the lights fully on.")
    case .off:
      .plain(
        .off, settled: .value(.power, "off"), manner: .urgent, help: "Turns the lights off.")
    case .dim:
      .integer(
        ArgumentShape.percentRange, unit: "%", settled: .argument(.brightness),
        manner: .setting(.brightness),
        help: "Sets the brightness, 0 to 100 %."
      ) { .dim($0) }
    }
  }

  public var invocation: Invocation<Name> {
    switch self {
    case .on: .init(.on)
    case .off: .init(.off)
    case .dim(let brightness): .init(.dim, .integer(brightness))
    }
  }
}
