import JSON

/// What the popcorn popper can be told.
public enum PopcornPopperCommand: RoleCommand {
  case on, off, pop

  public enum Name: String, CaseIterable, Sendable { case on, off, pop }
  public static let role = Role.popcornPopper
  public static let table = CommandTable<Self>()

  public static func row(_ name: Name) -> CommandRow<Self> {
    switch name {
    case .on:
      .plain(.on, settled: .value(.power, "on"), help: "Turns the popper on.")
    case .off:
      .plain(.off, settled: .value(.power, "off"), manner: .urgent, help: "Turns the popper off.")
    case .pop:
      .plain(
        .pop, settled: .anyValue(.popping, ["popping", "done"]), longest: .seconds(30),
        manner: .momentary,
        help: "Pops one load; done as soon as it pops.")
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
