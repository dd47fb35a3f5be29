/// A secret text. Descriptions, dumps and interpolations show only its name.
package struct Secret: Sendable {
  /// The name in `devices.json`, which may be shown and logged.
  package let name: String
  private let text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// Returns the text, only for the plugin's `open`.
  package func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "secret \"\(name)\"" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// The reason why a secret cannot be read.
package struct SecretError: Error, Sendable, Hashable {
  /// The description of the failure, without the text of the secret.
  package let message: String
  /// The next action.
  package let hint: String

  /// - Parameters:
  ///   - message: The failure, with the secret's name but never its text.
  ///   - hint: The next action.
  package init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }
}

/// A source of secrets by name.
package protocol SecretSource: Sendable {
  /// Returns the secret of this name.
  func secret(_ name: String) throws(SecretError) -> Secret
}
