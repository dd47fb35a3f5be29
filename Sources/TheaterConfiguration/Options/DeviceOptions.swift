import JSON

/// The options of a device, with its secrets sealed.
///
/// Only `written` may be shown, logged and compared: in it a secret is `{"secret": "name"}`. Two
/// options are equal if their `written` values are, even if the texts of their secrets differ.
package struct DeviceOptions: Sendable {
  /// The options with defaults and absolute paths, and with secrets by name.
  package let written: JSON
  private let secrets: [JSONPath: Secret]

  /// - Parameter secrets: The secrets by their paths in `written`.
  package init(written: JSON = [:], secrets: [JSONPath: Secret] = [:]) {
    self.written = written
    self.secrets = secrets
  }

  /// The options with the texts of the secrets, only for the plugin's `open`.
  package func revealed() -> JSON { fill(written, at: []) }

  /// The texts of the secrets, to hide them in the output of the plugin.
  package func revealedSecrets() -> [String] { secrets.values.map { $0.reveal() } }

  private func fill(_ value: JSON, at path: JSONPath) -> JSON {
    if let secret = secrets[path] { return .string(secret.reveal()) }
    switch value {
    case .array(let values):
      return .array(values.enumerated().map { fill($0.element, at: path.appending($0.offset)) })
    case .object(let object):
      return .object(
        JSONObject(object.map { ($0.key, fill($0.value, at: path.appending($0.key))) }))
    default: return value
    }
  }

  /// The names of the secrets in `options`, by path.
  static func secretNames(in options: JSON, at path: JSONPath = []) -> [(JSONPath, String)] {
    switch options {
    case .array(let values):
      return values.enumerated().flatMap {
        secretNames(in: $0.element, at: path.appending($0.offset))
      }
    case .object(let object):
      if object.count == 1, let name = object["secret"]?.string { return [(path, name)] }
      return object.flatMap { secretNames(in: $0.value, at: path.appending($0.key)) }
    default: return []
    }
  }
}

extension DeviceOptions: Hashable {
  package static func == (left: Self, right: Self) -> Bool { left.written == right.written }
  package func hash(into hasher: inout Hasher) { hasher.combine(written) }
}

extension DeviceOptions: CustomStringConvertible, CustomReflectable {
  package var description: String { written.text() }
  package var customMirror: Mirror { Mirror(self, children: ["written": written]) }
}
