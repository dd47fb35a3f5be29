import JSON

/// Something wrong in `devices.json`, for a person to mend.
package struct ConfigurationIssue: Error, Sendable, Hashable {
  /// What kind of mistake it is.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The file cannot be read.
    case file
    /// It is not JSON, or a key occurs twice in one object.
    case syntax
    /// A value is of the wrong kind or out of range, a key is unknown or missing: what the JSON
    /// Schema finds too.
    case shape
    /// Something refers to what is not there, or two things do not fit together.
    case reference
    /// A secret cannot be had.
    case secret
    /// A plugin's manifest is at fault.
    case plugin
  }

  /// Whether the theater can start nevertheless.
  package enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  package var kind: Kind
  package var severity: Severity
  /// The file's path, as it was given.
  package var file: String
  /// `nil` when the file could not be read at all.
  package var position: TextPosition?
  package var path: JSONPath
  /// What is wrong and what was expected.
  package var message: String
  /// What to do next.
  package var hint: String?

  package init(
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
  package var json: JSON {
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
  package var description: String {
    var text = file
    if let position { text += ":\(position.line):\(position.column)" }
    text += ": \(severity.rawValue): "
    if !path.elements.isEmpty { text += "\(path): " }
    text += message
    if let hint { text += "\n  \(hint)" }
    return text
  }
}

/// Why a configuration cannot be used: everything that is wrong with it, in the order of the file.
package struct InvalidConfiguration: Error, Sendable, Hashable, CustomStringConvertible {
  /// At least one of them is an error.
  package let problems: [ConfigurationIssue]

  package init(_ problems: [ConfigurationIssue]) { self.problems = problems }

  /// A problem a paragraph, and their number.
  package var description: String {
    let count = problems.count { $0.severity == .error }
    return problems.map { "\($0)\n" }.joined() + "\(count) \(count == 1 ? "error" : "errors")"
  }
}
