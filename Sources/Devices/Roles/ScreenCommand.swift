import JSON

/// What the screen can be told.
public enum ScreenCommand: RoleCommand {
  case up, down, stop

  public enum Name: String, CaseIterable, Sendable { case up, down, stop }
  public static let role = Role.screen
  public static let table = CommandTable<Self>()

  public static func row(_ name: Name) -> CommandRow<Self> {
    switch name {
    case .up:
      .plain(
        .up, settled: .value(.position, "up"), longest: .seconds(120), manner: .cancellable,
        help: "Rolls the screen up.")
    case .down:
      .plain(
        .down, settled: .value(.position, "down"), longest: .seconds(120), manner: .cancellable,
        help: "Lets the screen down.")
    case .stop:
      .plain(
        .stop, settled: .accepted, capability: "stop", manner: .urgent,
        help: "Stops the screen where it is, if its motor can.")
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
