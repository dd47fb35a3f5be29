import Validation

/// An e-mail address whose form was checked from its first to its last character (A8).
///
/// `EmailForm` says what is accepted. Two addresses that differ in case are the same account.
package struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
  /// As the person wrote it.
  package let text: String
  /// The form in which addresses are compared and unique.
  package let key: String

  /// Checks `typed`.
  /// - Throws: `empty`, `tooLong` or `malformed`, with the field `email`.
  package init(_ typed: String) throws(AccountError) {
    guard !typed.isEmpty else { throw .empty(.email) }
    guard typed.utf8.count <= EmailForm.longest else {
      throw .tooLong(.email, limit: "\(EmailForm.longest) characters")
    }
    guard EmailForm.isKept(by: typed) else { throw .malformedEmail }
    text = typed
    key = typed.lowercased()
  }

  /// Takes an address that a store kept; it passed the check of its day.
  package init(stored text: String) {
    self.text = text
    key = text.lowercased()
  }

  package var description: String { text }

  package static func == (a: EmailAddress, b: EmailAddress) -> Bool { a.key == b.key }
  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
