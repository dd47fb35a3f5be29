import JSON

/// The options of a device, with its secrets sealed.
///
/// `written` is what may be shown, logged and compared: a secret stands in it as
/// `{"secret": "name"}`. Two options are equal when they are written alike, whatever the secrets.
package struct DeviceOptions: Sendable {
  /// Defaults filled in, paths absolute, secrets by name.
  package let written: JSON
  private let secrets: [JSONPath: Secret]

  /// Options with the secrets that stand at these places of `written`.
  package init(written: JSON = [:], secrets: [JSONPath: Secret] = [:]) {
    self.written = written
    self.secrets = secrets
  }

  /// The options with the secret texts in them: for the plugin's `open` alone.
  package func revealed() -> JSON { fill(written, at: []) }

  /// The secret texts alone: for hiding them in what the plugin says.
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

  /// The places of secrets in `options`, with their names.
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
