import JSON

/// The typed commands of one role, for plugins. An enum conforms with two exhaustive switches: from
/// name to case, and from case to name and argument; the compiler reports a missing case.
public protocol RoleCommand: Sendable, Hashable {
  /// The names of the commands, one case for each.
  associatedtype Name: RawRepresentable<String> & CaseIterable & Sendable & Hashable

  /// The role whose commands these are.
  static var role: Role { get }
  /// The typed case of a name and its checked argument; `nil` if a required argument is missing.
  init?(_ name: Name, _ argument: JSON?)
  /// This command's name and argument.
  var invocation: Invocation<Name> { get }
  /// The typed case of a checked command; `nil` when it belongs to another role. It is a
  /// requirement, not only an extension, so that the compiler specializes it for each role:
  /// unspecialized code looks up its types for every command.
  init?(_ command: Command)
}

/// The name and the argument of a typed command.
public struct Invocation<Name: Sendable>: Sendable {
  /// The name of the command in its role's table.
  public let name: Name
  /// The argument as JSON; `nil` for a command without one.
  public let argument: JSON?

  init(_ name: Name, _ argument: JSON? = nil) {
    self.name = name
    self.argument = argument
  }
}

extension RoleCommand {
  /// The rows of the role's table.
  public static var specs: [CommandSpec] { role.commands }

  /// The typed case of a checked command; `nil` when it belongs to another role.
  public init?(_ command: Command) {
    guard command.role == Self.role, let name = Name(rawValue: command.spec.name) else {
      return nil
    }
    self.init(name, command.argument)
  }

  /// This command for the wire, checked against its row (a typed call may be out of range).
  public func checked() throws(CommandError) -> Command {
    let parts = invocation
    return try Command(parts.name.rawValue, argument: parts.argument, role: Self.role)
  }
}
