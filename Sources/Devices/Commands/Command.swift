import JSON

/// A checked command for a device of one role: a row of the role's table, and an argument that fits.
///
/// The same JSON stands for it everywhere: `"on"`, `{"dim": 10}`, `{"play": {"item": "x"}}`.
public struct Command: Sendable, Hashable {
  /// The role whose table has the command.
  public let role: Role
  /// The row of the role's command table.
  public let spec: CommandSpec
  /// The argument, which fits `spec`; `nil` for a command without one.
  public let argument: JSON?

  /// The command that `json` stands for.
  public init(_ json: JSON, role: Role) throws(CommandError) {
    let (name, argument) = try Self.parts(of: json)
    try self.init(name, argument: argument, role: role)
  }

  /// The command `name` with its argument.
  public init(_ name: String, argument: JSON?, role: Role) throws(CommandError) {
    guard let spec = role.command(named: name) else { throw .unknown(name, role: role) }
    if let argument, !argument.isNull {
      guard let takes = spec.argument else { throw .takesNothing(spec) }
      if let problem = takes.shape.problem(with: argument) { throw .argument(spec, problem) }
      self.argument = argument
    } else {
      if let takes = spec.argument, takes.isRequired { throw .needsArgument(spec) }
      self.argument = nil
    }
    self.role = role
    self.spec = spec
  }

  /// A command whose argument fits its row.
  init(role: Role, spec: CommandSpec, argument: JSON?) {
    self.role = role
    self.spec = spec
    self.argument = argument
  }

  /// The JSON that stands for this command.
  public var json: JSON {
    if let argument { .object([spec.name: argument]) } else { .string(spec.name) }
  }

  /// The reading that shows that the device carries out such a command at present; `nil` if none does.
  package func progress(in state: DeviceState) -> (key: StateKey, reading: Reading)? {
    guard let progress = spec.progress, let key = spec.settled.key,
      let reading = state.readings[key], reading.value == progress, reading.provenance != .unknown
    else { return nil }
    return (key, reading)
  }

  /// The id of the film or song that the command names.
  public var item: String? { argument?["item"]?.string }

  /// The name and the argument in a command's JSON, not checked against a role.
  public static func parts(of json: JSON) throws(CommandError) -> (name: String, argument: JSON?) {
    switch json {
    case .string(let name): return (name, nil)
    case .object(let object) where object.count == 1:
      for (name, argument) in object { return (name, argument) }
      throw .shape(json)
    default: throw .shape(json)
    }
  }
}

extension Command: CustomStringConvertible {
  public var description: String { argument.map { "\(spec.name) \($0)" } ?? spec.name }
}

/// The reason why a value is not a command.
public enum CommandError: Error, Sendable, Hashable {
  /// Neither a name nor an object with one name.
  case shape(JSON)
  /// The role has no command of this name.
  case unknown(String, role: Role)
  /// An argument was given to a command without one.
  case takesNothing(CommandSpec)
  /// The command's required argument is missing or `null`.
  case needsArgument(CommandSpec)
  /// The argument does not fit the command.
  case argument(CommandSpec, ArgumentProblem)

  /// The path to the mistake, from the command's JSON.
  public var path: JSONPath {
    switch self {
    case .shape, .unknown, .needsArgument: []
    case .takesNothing(let spec): [.key(spec.name)]
    case .argument(let spec, let problem): JSONPath([.key(spec.name)] + problem.path.elements)
    }
  }

  /// The mistake, for people.
  public var message: String {
    switch self {
    case .shape(let json):
      "a command is a name such as \"on\" or an object with one name such as {\"dim\": 10}, "
        + "not \(json.kind)"
    case .unknown(let name, let role): "the \(role.title) has no command \"\(name.quotation)\""
    case .takesNothing(let spec): "\"\(spec.name)\" takes no argument"
    case .needsArgument(let spec):
      "\"\(spec.name)\" needs \(spec.argument?.shape.expectation ?? "an argument")"
    case .argument(let spec, let problem):
      "\"\(spec.name)\" takes \(problem.expected), not \(problem.found)"
    }
  }

  /// The next action for the user.
  public var hint: String {
    switch self {
    case .shape: "Write \"on\" or {\"dim\": 10}."
    case .unknown(let name, let role):
      spellingHint(for: name, among: role.commands.map(\.name))
        ?? "It knows: \(role.commands.map(\.name).joined(separator: ", "))."
    case .takesNothing(let spec): "Write \"\(spec.name)\" alone."
    case .needsArgument(let spec): spec.help
    case .argument(let spec, let problem): problem.hint ?? spec.help
    }
  }
}
