/// A secret text. It prints, reflects and interpolates as its name.
package struct Secret: Sendable {
  package let name: String
  private let text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// The text itself: for the plugin's `open` alone.
  package func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "secret \"\(name)\"" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// Why a secret cannot be had.
package struct SecretError: Error, Sendable, Hashable {
  /// What happened, without a word of the secret.
  package let message: String
  /// What to do next.
  package let hint: String

  package init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }
}

/// Where secrets come from.
package protocol SecretSource: Sendable {
  /// The secret of this name.
  func secret(_ name: String) throws(SecretError) -> Secret
}

/// No secrets at all, for checks that must not read any.
package struct NoSecrets: SecretSource {
  package init() {}
  package func secret(_ name: String) throws(SecretError) -> Secret {
    throw SecretError("there is no secret \"\(name)\"", hint: "No folder of secrets is known here.")
  }
}
