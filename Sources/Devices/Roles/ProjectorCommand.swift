import JSON

/// What the projector can be told.
public enum ProjectorCommand: RoleCommand {
  case on, off, tvMode, wideScreenMode

  public enum Name: String, CaseIterable, Sendable { case on, off, tvMode, wideScreenMode }
  public static let role = Role.projector
  public static let table = CommandTable<Self>()

  public static func row(_ name: Name) -> CommandRow<Self> {
    switch name {
    case .on:
      .plain(
        .on, settled: .value(.power, "on"), longest: .seconds(180), manner: .cancellable,
        help: "Strikes the lamp; the picture follows when it is warm.")
    case .off:
      .plain(
        .off, settled: .value(.power, "off"), longest: .seconds(300), manner: .urgent,
        help: "Puts the lamp out; the fan runs until it is cool.")
    case .tvMode:
      .plain(.tvMode, settled: .value(.picture, "tv"), help: "Shows a 4:3 picture.")
    case .wideScreenMode:
      .plain(
        .wideScreenMode, settled: .value(.picture, "wideScreen"), help: "Shows a 16:9 picture.")
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
