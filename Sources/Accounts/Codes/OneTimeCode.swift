/// A short code that goes to a person's mailbox or phone and comes back typed (D8).
package struct OneTimeCode: Sendable, Redacted {
  /// The secret itself, for the one message that carries it.
  package let text: String

  /// Draws a code.
  /// - Parameter digits: how many.
  init(digits: Int, from random: RandomSource) {
    var text = ""
    while text.utf8.count < digits {
      // 250 is a multiple of ten: the last six values would favour the digits 0 to 5.
      for byte in random.bytes(digits) where byte < 250 && text.utf8.count < digits {
        text.append(String(byte % 10))
      }
    }
    self.text = text
  }

  /// Reads what a person typed, spaces and hyphens forgiven.
  /// - Throws: `empty` or `malformed`, with the field `code`.
  package init(typed: String, digits: Int) throws(AccountError) {
    guard typed.utf8.count <= 4 * digits else { throw .malformedCode(digits: digits) }
    let text = typed.filter { $0 != "-" && !$0.isWhitespace }
    if text.isEmpty { throw .empty(.code) }
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformedCode(digits: digits)
    }
    self.text = text
  }
}
