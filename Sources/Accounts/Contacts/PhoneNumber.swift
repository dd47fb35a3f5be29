/// A phone number in its international form: `+` and 7 to 15 digits (ITU-T E.164).
package struct PhoneNumber: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  /// Checks `typed`; spaces, hyphens, dots, slashes and parentheses between digits are forgiven.
  /// - Throws: `empty`, `tooLong` or `malformed`, with the field `phone`.
  package init(_ typed: String) throws(AccountError) {
    guard typed.utf8.count <= 40 else { throw .tooLong(.phone, limit: "15 digits") }
    let text = typed.filter { !" -./()\u{A0}".contains($0) }
    if text.isEmpty { throw .empty(.phone) }
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: "+"), (7...15).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != UInt8(ascii: "0")
    else { throw .malformedPhone }
    self.text = text
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
