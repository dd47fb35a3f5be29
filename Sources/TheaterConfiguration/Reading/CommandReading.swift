import Devices
import HomeTheater
import JSON
import Scenes

extension ConfigurationReader {
  /// Reads the command of a step for a device of a known role.
  mutating func readCommand(
    _ json: JSON, for device: String, role: Role, at path: JSONPath, _ reading: inout StepReading
  ) -> StepCommand? {
    // The schema finds commands that no role has; only this check knows the role of the device.
    var kind: ConfigurationIssue.Kind {
      ConfigurationSchemaNodes.anyCommand.accepts(json) ? .reference : .shape
    }
    do {
      let (name, argument) = try Command.parts(of: json)
      if let argument, !argument.isNull, Self.holdsParameter(argument) {
        return try readTemplate(
          name, argument, role: role, at: path, kind: kind, reading: &reading)
      }
      let command = try Command(json, role: role)
      guard argument?.isNull != true else {
        report(
          kind, at: path.appending(name), "\"\(name)\" is given nothing",
          hint: "Write \"\(name)\" alone.")
        return nil
      }
      checkInput(command, of: device, at: path)
      return .fixed(command)
    } catch {
      report(
        kind, at: JSONPath(path.elements + error.path.elements), key: error.isAboutKey,
        error.message, hint: error.hint)
      return nil
    }
  }

  /// Checks that the amplifier has the input.
  mutating func checkInput(_ command: Command, of device: String, at path: JSONPath) {
    guard command.spec.settled == .argument(.input),
      let input = command.argument?.string
    else { return }
    let known = inputs(of: device)
    // An input belongs to a cable, which an error that is reported already may hide.
    guard !known.known.contains(input), !hasError(at: [.key("cables")]) else { return }
    let near = spellingHint(for: input, among: known.names)
    report(
      .reference, at: path.appending("input"), "\"\(device)\" has no input \"\(input.quotation)\"",
      hint: near
        ?? "Add it to \"cables\"; there is \(known.names.isEmpty ? "none" : listed(known.names)) so far."
    )
  }

  // MARK: Parameters

  /// Whether a text in `argument` begins with `$`.
  private static func holdsParameter(_ argument: JSON) -> Bool {
    switch argument {
    case .string(let text): text.hasPrefix("$")
    case .array(let values): values.contains(where: holdsParameter)
    case .object(let object): object.contains { holdsParameter($0.value) }
    default: false
    }
  }

  private mutating func readTemplate(
    _ name: String, _ argument: JSON, role: Role, at path: JSONPath,
    kind: ConfigurationIssue.Kind, reading: inout StepReading
  ) throws(CommandError) -> StepCommand? {
    guard let spec = role.command(named: name) else {
      throw .unknown(name, role: role)
    }
    guard let takes = spec.argument else { throw .takesNothing(spec) }
    let place = path.appending(name)
    let count = problems.count
    for problem in SchemaNode.argument(takes.shape).problems(with: argument, at: place) {
      report(
        kind, at: problem.path, key: problem.isAtKey, problem.message,
        hint: problem.hint ?? spec.help)
    }
    checkParameters(argument, takes.shape, of: spec, at: place, &reading)
    guard problems.count == count else { return nil }
    return .template(name: name, argument: argument, role: role)
  }

  /// Checks that each parameter in `value` is declared and fits the place.
  private mutating func checkParameters(
    _ value: JSON, _ shape: ArgumentShape, of spec: CommandSpec, at path: JSONPath,
    _ reading: inout StepReading
  ) {
    switch (value, shape) {
    case (.object(let object), .fields(let fields)):
      for field in fields {
        guard let value = object[field.name] else { continue }
        checkParameters(value, field.shape, of: spec, at: path.appending(field.name), &reading)
      }
    case (.string(let text), _) where text.hasPrefix("$"):
      let name = String(text.dropFirst())
      reading.used.insert(name)
      guard let kind = reading.parameters[name] else {
        guard !hasError(at: path) else { return }
        return reportUndeclared(text, among: reading.parameters.keys.sorted(), at: path)
      }
      guard !kind.fits(shape, of: spec) else { return }
      report(
        .reference, at: path,
        "\"\(text)\" is a \(kind.rawValue), but \"\(spec.name)\" takes \(shape.expectation)",
        hint: "Declare \"\(name)\" as another kind in \"parameters\", or use another parameter.")
    default: break
    }
  }

  private mutating func reportUndeclared(_ text: String, among names: [String], at path: JSONPath) {
    let near = spellingHint(for: String(text.dropFirst()), among: names, sign: "$")
    report(
      .reference, at: path, "the scene has no parameter for \"\(text.quotation)\"",
      hint: near
        ?? "Declare it: \"parameters\": {\"\(String(text.dropFirst()).quotation)\": \"film\"}.")
  }
}

extension ParameterKind {
  /// Whether a parameter of this kind is a valid value of `shape`.
  fileprivate func fits(_ shape: ArgumentShape, of spec: CommandSpec) -> Bool {
    switch shape {
    case .integer, .number: return self == .number
    case .fields: return false
    case .text:
      switch self {
      case .film, .song: return spec.name == "play"
      case .station: return spec.name == "station"
      case .text: return true
      case .number: return false
      }
    }
  }
}

extension CommandError {
  /// Whether the key at the end of its path is wrong.
  fileprivate var isAboutKey: Bool {
    switch self {
    case .argument(_, let problem): problem.found.hasPrefix("the unknown key")
    case .takesNothing: true
    case .shape, .unknown, .needsArgument: false
    }
  }
}
