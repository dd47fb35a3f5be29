import Validation

/// A phone number in its international form, as `PhoneForm` says: `+4917012345678`.
package struct PhoneNumber: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  /// Checks `typed`, with whatever `PhoneForm` lets stand between the digits.
  /// - Throws: `empty` or `malformed`, with the field `phone`.
  package init(_ typed: String) throws(AccountError) {
    if typed.allSatisfy(\.isWhitespace) { throw .empty(.phone) }
    guard let number = PhoneForm.canonical(typed) else { throw .malformedPhone }
    text = number
  }

  /// Takes a number that a store kept; it passed the check of its day.
  package init(stored text: String) {
    self.text = text
  }

  package var description: String { text }
}

extension AccountError {
  package static let malformedPhone = AccountError(
    .malformed, field: .phone, message: "This is not a phone number in its international form.",
    hint: "Write it like +49 30 1234567, with the code of the country.")
}
