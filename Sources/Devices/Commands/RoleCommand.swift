import JSON

/// The typed commands of one role. An enum conforms with two exhaustive switches: from name to row,
/// and from case to name and argument; the compiler names what is missing.
public protocol RoleCommand: Sendable, Hashable {
  /// The names of the commands; a case each.
  associatedtype Name: RawRepresentable<String> & CaseIterable & Sendable & Hashable

  static var role: Role { get }
  /// The row of a command.
  static func row(_ name: Name) -> CommandRow<Self>
  /// The table: every row, made once.
  static var table: CommandTable<Self> { get }
  /// This command's name and argument.
  var invocation: Invocation<Name> { get }
  /// The typed case of a checked command; `nil` when it belongs to another role. A requirement, so
  /// that each role has its own code for it: a generic one looks its types up for every command.
  init?(_ command: Command)
}

/// A command taken apart.
public struct Invocation<Name: Sendable>: Sendable {
  public let name: Name
  public let argument: JSON?

  init(_ name: Name, _ argument: JSON? = nil) {
    self.name = name
    self.argument = argument
  }
}

/// One row of a role's table: what is known of a command, and how to make its typed case.
public struct CommandRow<Command: RoleCommand>: Sendable {
  let argument: ArgumentSpec?
  let settled: Settled
  let longest: Duration
  let capability: String?
  let manner: CommandManner
  /// Most commands are for whoever may use the whole theater.
  var permission = Permission.operate
  let help: String
  let make: @Sendable (JSON?) -> Command?

  /// A command without an argument.
  static func plain(
    _ command: Command, settled: Settled, longest: Duration = .seconds(10),
    capability: String? = nil, manner: CommandManner = .ordinary,
    permission: Permission = .operate, help: String
  ) -> Self {
    CommandRow(
      argument: nil, settled: settled, longest: longest, capability: capability, manner: manner,
      permission: permission, help: help
    ) { _ in command }
  }

  /// A command with a whole number.
  static func integer(
    _ range: ClosedRange<Int>, unit: String, settled: Settled, longest: Duration = .seconds(10),
    manner: CommandManner, permission: Permission = .operate, help: String,
    make: @escaping @Sendable (Int) -> Command
  ) -> Self {
    CommandRow(
      argument: .required(.integer(range, unit: unit)), settled: settled, longest: longest,
      capability: nil, manner: manner, permission: permission, help: help
    ) { $0?.integer.map(make) }
  }

  /// A command with a number.
  static func number(
    _ argument: ArgumentSpec, settled: Settled, longest: Duration = .seconds(10),
    capability: String? = nil, manner: CommandManner = .ordinary,
    permission: Permission = .operate, help: String,
    make: @escaping @Sendable (Double?) -> Command?
  ) -> Self {
    CommandRow(
      argument: argument, settled: settled, longest: longest, capability: capability,
      manner: manner, permission: permission, help: help
    ) { make($0?.number) }
  }

  /// A command with a name in it.
  static func text(
    _ what: String, settled: Settled, longest: Duration = .seconds(10), manner: CommandManner,
    help: String, make: @escaping @Sendable (String) -> Command
  ) -> Self {
    CommandRow(
      argument: .required(.text(longest: ArgumentShape.longestName, what: what)), settled: settled,
      longest: longest,
      capability: nil, manner: manner, help: help
    ) { $0?.string.map(make) }
  }
}

/// Every row of a role, made once, with the specifications that everyone else reads.
public struct CommandTable<Command: RoleCommand>: Sendable {
  struct Entry: Sendable {
    let name: Command.Name
    let spec: CommandSpec
    let make: @Sendable (JSON?) -> Command?
  }
  let entries: [Entry]

  /// Asks the role for the row of each of its names.
  init() {
    entries = Command.Name.allCases.map { name in
      let row = Command.row(name)
      let spec = CommandSpec(
        role: Command.role, name: name.rawValue, argument: row.argument,
        permission: row.permission, settled: row.settled, longest: row.longest,
        capability: row.capability,
        manner: row.manner, help: row.help)
      return Entry(name: name, spec: spec, make: row.make)
    }
  }

  func spec(_ name: Command.Name) -> CommandSpec? { entries.first { $0.name == name }?.spec }
}

extension RoleCommand {
  /// What is known of each command.
  public static var specs: [CommandSpec] { table.entries.map(\.spec) }

  /// The typed case of a checked command; `nil` when it belongs to another role.
  public init?(_ command: Command) {
    guard let entry = Self.table.entries.first(where: { $0.spec === command.spec }),
      let typed = entry.make(command.argument)
    else { return nil }
    self = typed
  }

  /// This command for the wire, checked against its row (a typed call may be out of range).
  public func checked() throws(CommandError) -> Command {
    let parts = invocation
    return try Command(parts.name.rawValue, argument: parts.argument, role: Self.role)
  }
}
