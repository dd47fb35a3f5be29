import Validation

/// An e-mail address that was checked by `EmailSyntax` from its first to its last character (A8). Two
/// addresses that differ only in case are equal.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
  /// As typed.
  public let text: String
  /// The form in which addresses are compared and unique.
  public let key: String

  /// Checks `typed`.
  /// - Throws: `empty`, `tooLong` or `malformed`, with the field `email`.
  public init(_ typed: String) throws(AccountError) {
    guard !typed.isEmpty else { throw .empty(.email) }
    guard typed.utf8.count <= EmailSyntax.longest else {
      throw .tooLong(.email, limit: "\(EmailSyntax.longest) characters")
    }
    guard EmailSyntax.isValid(typed) else { throw .malformedEmail }
    text = typed
    key = typed.lowercased()
  }

  /// Takes a stored address, which was checked before.
  public init(stored text: String) {
    self.text = text
    key = text.lowercased()
  }

  public var description: String { text }

  public static func == (a: EmailAddress, b: EmailAddress) -> Bool { a.key == b.key }
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
