import Devices
import Foundation
import JSON

/// The texts that replace the placeholders of a plugin's template. They are generated from the command tables of
/// the roles.
struct PluginPlaceholders {
  /// The replacement of each placeholder, without its underscores.
  let values: [String: String]

  /// - Parameter package: For Swift, the path or the Git URL of this project's sources.
  init(name: String, role: Role, language: PluginTemplate.Language, package: String?)
    throws(ExitError)
  {
    let commands = role.commands.filter { $0.capability == nil }
    guard let first = commands.first(where: { $0.argument == nil }) else {
      throw ExitError(.failed, "\(role.rawValue) has no command to begin with")
    }
    var values = [
      "ID": name, "TITLE": name, "ROLE": role.rawValue, "FIRST_COMMAND": first.name,
      "FIRST_STATE": Self.members(TemplateState.after(first, of: role), separator: ":"),
    ]
    let state = TemplateState.first(of: role)
    switch language {
    case .c:
      values["COMMANDS"] = commands.map { Self.cRow($0, role) }.joined(separator: "\n")
      values["STATE"] = JSON.string(Self.members(state, separator: ":")).text()
    case .python:
      values["FIRST_STATE"] = Self.pythonMembers(TemplateState.after(first, of: role))
      values["COMMANDS"] = commands.map { Self.pythonRow($0, role) }.joined(separator: "\n")
      values["ROLES"] = Role.allCases.map(Self.pythonTable).joined(separator: "\n")
      values["STATE"] = "{\(Self.pythonMembers(state))}"
    case .swift:
      values["COMMAND_TYPE"] = "\(role.commandType)"
      (values["PACKAGE"], values["PACKAGE_NAME"]) = Self.dependency(package ?? "")
      values["FIRST_STATE"] = Self.swiftMembers(TemplateState.after(first, of: role), nil)
      // All commands; the generated program refuses the optional ones.
      values["COMMANDS"] = role.commands.map { Self.swiftCase($0, role) }.joined(separator: "\n")
      values["STATE"] = "[\(Self.swiftMembers(state, nil))]"
    }
    self.values = values
  }

  // MARK: C

  private static func cRow(_ spec: CommandSpec, _ role: Role) -> String {
    let (kind, least, most) = cArgument(spec.argument?.shape)
    let state = members(TemplateState.after(spec, of: role), separator: ":")
    return "  {\"\(spec.name)\", \(kind), \(spec.argument?.isRequired == true ? 1 : 0), \(least), "
      + "\(most), \(JSON.string(state).text())},"
  }

  private static func cArgument(_ shape: ArgumentShape?) -> (String, least: String, most: String) {
    switch shape {
    case nil: ("NOTHING", "0", "0")
    case .integer(let range, _)?: ("INTEGER", "\(range.lowerBound)", "\(range.upperBound)")
    case .number(let range, _)?: ("NUMBER", number(range.lowerBound), number(range.upperBound))
    case .text?: ("TEXT", "0", "0")
    case .fields(let fields)?:
      fields.lazy.map(\.shape).compactMap { shape -> (String, least: String, most: String)? in
        guard case .number(let range, _) = shape else { return nil }
        return ("ITEM", number(range.lowerBound), number(range.upperBound))
      }.first ?? ("ITEM", "0", "0")
    }
  }

  private static func number(_ value: Double) -> String { JSON.number(value).text() }

  /// Returns the members of a JSON object, with `$` for the argument, and `@` for "on" or "off" depending on it.
  private static func members(_ state: [TemplateState], separator: String) -> String {
    state.map { member in
      let value =
        switch member.value {
        case .json(let json): json.text()
        case .argument: "$"
        case .isAboveZero: "@"
        }
      return "\"\(member.key.rawValue)\"\(separator)\(value)"
    }.joined(separator: ",")
  }

  // MARK: Python

  /// Returns a command with the state after it.
  private static func pythonRow(_ spec: CommandSpec, _ role: Role) -> String {
    "    \"\(spec.name)\": {\(pythonMembers(TemplateState.after(spec, of: role)))},"
  }

  /// Returns all commands of a role: the shape of the argument, whether it is required, and the capability.
  private static func pythonTable(of role: Role) -> String {
    let rows = role.commands.map { spec in
      let argument = spec.argument.map { pythonShape($0.shape) } ?? "None"
      let isRequired = spec.argument?.isRequired == true ? "True" : "False"
      let capability = spec.capability.map { "\"\($0)\"" } ?? "None"
      return "        \"\(spec.name)\": (\(argument), \(isRequired), \(capability)),"
    }
    return (["    \"\(role.rawValue)\": {"] + rows + ["    },"]).joined(separator: "\n")
  }

  private static func pythonShape(_ shape: ArgumentShape) -> String {
    switch shape {
    case .integer(let range, _): "(\"integer\", \(range.lowerBound), \(range.upperBound))"
    case .number(let range, _):
      "(\"number\", \(number(range.lowerBound)), \(number(range.upperBound)))"
    case .text(let longest, _): "(\"text\", 1, \(longest))"
    case .fields(let fields):
      "{" + fields.map { "\"\($0.name)\": \(pythonShape($0.shape))" }.joined(separator: ", ") + "}"
    }
  }

  private static func pythonMembers(_ state: [TemplateState]) -> String {
    state.map { member in
      let value =
        switch member.value {
        case .json(let json): python(json)
        case .argument: "ARGUMENT"
        case .isAboveZero: "SWITCH"
        }
      return "\"\(member.key.rawValue)\": \(value)"
    }.joined(separator: ", ")
  }

  private static func python(_ json: JSON) -> String {
    switch json {
    case .null: "None"
    case .bool(let value): value ? "True" : "False"
    case .object(let object):
      "{" + object.map { "\"\($0)\": \(python($1))" }.joined(separator: ", ") + "}"
    default: json.text()
    }
  }

  // MARK: Swift

  private static func swiftCase(_ spec: CommandSpec, _ role: Role) -> String {
    if spec.capability != nil {
      return "    case .\(spec.name): throw DeviceError(.unsupported, \"this device has no "
        + "\(spec.name)\")"
    }
    let state = TemplateState.after(spec, of: role)
    let isBound = state.contains { if case .json = $0.value { false } else { true } }
    let report = "context.report([\(swiftMembers(state, spec.argument?.shape))])"
    return
      "    case .\(spec.name)\(isBound ? "(let value)" : ""): \(state.isEmpty ? "break" : report)"
  }

  /// - Parameter shape: The shape of the argument, which the generated code names `value`.
  private static func swiftMembers(_ state: [TemplateState], _ shape: ArgumentShape?) -> String {
    state.map { member in
      let value =
        switch member.value {
        case .json(let json): swift(json)
        case .isAboveZero: "value > 0 ? \"on\" : \"off\""
        case .argument: ".\(swiftCase(of: shape))(value)"
        }
      return ".\(member.key.rawValue): \(value)"
    }.joined(separator: ", ")
  }

  /// Returns the name of the `JSON` case for an argument.
  private static func swiftCase(of shape: ArgumentShape?) -> String {
    switch shape {
    case .integer: "integer"
    case .number: "number"
    default: "string"
    }
  }

  private static func swift(_ json: JSON) -> String {
    if json.isNull { return "nil" }
    guard let object = json.object else { return json.text() }
    return "[" + object.map { "\"\($0)\": \(swift($1))" }.joined(separator: ", ") + "]"
  }

  /// Throws if a path holds no Swift package. A Git URL is not checked.
  static func checkPackage(_ package: String) throws(ExitError) {
    guard !isURL(package) else { return }
    let manifest = URL(filePath: package).appending(path: "Package.swift").path
    guard FileManager.default.fileExists(atPath: manifest) else {
      throw ExitError(
        .failed, "there is no \(manifest)",
        hint: "Name the folder of this project's sources with --package, or their Git URL.")
    }
  }

  private static func isURL(_ package: String) -> Bool {
    package.contains("://") || package.hasPrefix("git@")
  }

  /// Returns the dependency on this project as Swift code, and its package name for SwiftPM.
  private static func dependency(_ package: String) -> (String, name: String) {
    if isURL(package) {
      let name = package.split(whereSeparator: { "/:".contains($0) }).last.map(String.init) ?? ""
      return (
        ".package(url: \(JSON.string(package).text()), branch: \"main\")",
        name.hasSuffix(".git") ? String(name.dropLast(4)) : name
      )
    }
    let path = URL(filePath: package).standardizedFileURL.path
    return (
      ".package(name: \"HomeTheater\", path: \(JSON.string(path).text()))", "HomeTheater"
    )
  }
}

/// A value of a state that a template's device reports.
struct TemplateState {
  enum Value {
    case json(JSON)
    /// The argument of the command.
    case argument
    /// `on` if the argument is above zero, else `off`.
    case isAboveZero
  }

  let key: StateKey
  let value: Value

  /// Returns the state after a command: its final value, and the power that it implies.
  static func after(_ spec: CommandSpec, of role: Role) -> [TemplateState] {
    var state: [TemplateState] = []
    func set(_ key: StateKey, _ value: Value) {
      state.append(TemplateState(key: key, value: value))
    }
    let hasPower = role.stateKeys.contains(.power) && spec.settled.key != .power
    if hasPower, StateKey.power.shape.admits(.string(spec.name)) {
      set(.power, .json(.string(spec.name)))
    }
    switch spec.settled {
    case .accepted: break
    case .value(let key, let value): set(key, .json(value))
    case .anyValue(let key, let values): set(key, .json(values.first ?? nil))
    case .argument(let key):
      if hasPower, key == .brightness { set(.power, .isAboveZero) }
      set(key, .argument)
    case .playback(let statuses):
      let status = statuses.first ?? .stopped
      let playback: JSONObject = ["state": .string(status.rawValue)]
      set(.playback, .json(.object(playback)))
    }
    return state
  }

  /// Returns the state of a newly opened device.
  static func first(of role: Role) -> [TemplateState] {
    role.states.map { TemplateState(key: $0.key, value: .json(restValue(of: $0.key.shape))) }
  }

  /// Returns the value of an inactive device: off, closed, the lower bound, or null, depending on the shape.
  private static func restValue(of shape: StateShape) -> JSON {
    switch shape {
    case .words(let words):
      .string(["off", "closed"].first(where: words.contains) ?? words.first ?? "")
    case .truth: false
    case .null: nil
    case .argument(.integer(let range, _)): .integer(range.lowerBound)
    case .argument(.number(let range, _)): .number(range.lowerBound)
    case .argument: nil
    case .playback: ["state": .string(Playback.Status.stopped.rawValue)]
    case .either(let shapes): shapes.contains(.null) ? nil : shapes.first.map(restValue) ?? nil
    }
  }
}
