import JSON

/// An error or a warning in `devices.json`, for the person who edits it.
public struct ConfigurationIssue: Error, Sendable, Hashable {
  /// The kind of mistake.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The file cannot be read.
    case file
    /// It is not JSON, or a key occurs twice in one object.
    case syntax
    /// A value is of the wrong kind or out of range, or a key is unknown or missing. The JSON
    /// Schema finds these too.
    case shape
    /// A name refers to nothing, or two values contradict each other.
    case reference
    /// A secret is missing, or others can read it.
    case secret
    /// A plugin's manifest has an error.
    case plugin
  }

  /// Whether the issue keeps the controller from starting.
  public enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  public var kind: Kind
  /// A warning does not keep the controller from starting.
  public var severity: Severity
  /// The file's path, as it was given.
  public var file: String
  /// `nil` when the file could not be read at all.
  public var position: TextPosition?
  /// The path to the wrong value; empty for the whole file.
  public var path: JSONPath
  /// The mistake and the expected value.
  public var message: String
  /// The next action.
  public var hint: String?

  public init(
    _ kind: Kind, _ severity: Severity = .error, file: String, position: TextPosition?,
    path: JSONPath = [], message: String, hint: String? = nil
  ) {
    self.kind = kind
    self.severity = severity
    self.file = file
    self.position = position
    self.path = path
    self.message = message
    self.hint = hint
  }

  /// The problem for `--json` and the API.
  public var json: JSON {
    var object: JSONObject = [
      "kind": .string(kind.rawValue), "severity": .string(severity.rawValue), "file": .string(file),
    ]
    if let position {
      object["line"] = .integer(position.line)
      object["column"] = .integer(position.column)
      object["path"] = .string(path.description)
    }
    object["message"] = .string(message)
    if let hint { object["hint"] = .string(hint) }
    return .object(object)
  }
}

extension ConfigurationIssue: CustomStringConvertible {
  /// `devices.json:4:29: error: $.devices.amp.role: expected … found …`, and the hint below it.
  public var description: String {
    var text = file
    if let position { text += ":\(position.line):\(position.column)" }
    text += ": \(severity.rawValue): "
    if !path.elements.isEmpty { text += "\(path): " }
    text += message
    if let hint { text += "\n  \(hint)" }
    return text
  }
}

/// The errors and warnings of a configuration that cannot be used, in the order of the file.
public struct InvalidConfiguration: Error, Sendable, Hashable, CustomStringConvertible {
  /// At least one of them is an error.
  public let problems: [ConfigurationIssue]

  /// - Parameter problems: At least one error, in the order of the file.
  public init(_ problems: [ConfigurationIssue]) { self.problems = problems }

  /// One paragraph for each problem, then the number of errors.
  public var description: String {
    let count = problems.count { $0.severity == .error }
    return problems.map { "\($0)\n" }.joined() + "\(count) \(count == 1 ? "error" : "errors")"
  }
}
