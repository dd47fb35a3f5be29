import Foundation

/// A password as a person typed it, normalised (NFKC), whole, and kept out of descriptions.
package struct Password: Sendable, Redacted {
  /// The bytes that are hashed: all of them, never a prefix.
  let bytes: [UInt8]
  /// The length that rules count (NIST SP 800-63B-4: code points after normalisation).
  package let codePoints: Int

  /// More bytes than this are refused before any work; 256 code points in any decomposition fit.
  static let mostBytes = 16_384

  /// Normalises `typed`, so that the same password typed on two keyboards is the same.
  /// - Throws: `empty` or `tooLong`, with the field `password`.
  package init(_ typed: String) throws(AccountError) {
    guard !typed.isEmpty else { throw .empty(.password) }
    guard typed.utf8.count <= Self.mostBytes else {
      throw .tooLong(.password, limit: "\(PasswordRule.standard.maximum) characters")
    }
    let normalised = typed.precomposedStringWithCompatibilityMapping
    bytes = Array(normalised.utf8)
    codePoints = normalised.unicodeScalars.count
  }
}

/// How long a new password must be. Asked at registration, never at login: an account outlives its
/// rule.
package struct PasswordRule: Sendable {
  /// Fewest code points. 15 is what NIST SP 800-63B-4 wants of a password that is the only factor.
  package let minimum: Int
  /// Most code points.
  package let maximum: Int

  package static let standard = PasswordRule(minimum: 15, maximum: 256)

  package init(minimum: Int, maximum: Int) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Passes when `password` keeps the rule.
  /// - Throws: `tooShort` or `tooLong`, with the field `password`.
  package func check(_ password: Password) throws(AccountError) {
    if password.codePoints < minimum { throw .passwordTooShort(minimum: minimum) }
    if password.codePoints > maximum { throw .tooLong(.password, limit: "\(maximum) characters") }
  }
}
