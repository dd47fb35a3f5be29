/// What a new password must keep: 15 code points where it is the only factor, 8 beside a second one
/// (NIST SP 800-63B-4).
package struct PasswordRules: Sendable {
  package let alone: PasswordRule
  package let withFactor: PasswordRule

  package init(alone: PasswordRule = .standard, withFactor: PasswordRule = .besideFactor) {
    self.alone = alone
    self.withFactor = withFactor
  }

  /// Checks a new password.
  /// - Throws: `empty`, `tooShort`, `tooLong`, with the field `newPassword`.
  func newPassword(_ typed: String, withFactor: Bool) throws(AccountError) -> Password {
    do throws(AccountError) {
      let password = try Password(typed)
      try (withFactor ? self.withFactor : alone).check(password)
      return password
    } catch {
      throw AccountError(
        error.code, field: .newPassword, message: error.message, hint: error.hint)
    }
  }

  /// Passes for a password that may stand without a second factor.
  /// - Throws: `tooShort`, with the field `password`.
  func checkStandsAlone(_ password: Password) throws(AccountError) {
    guard password.codePoints >= alone.minimum else {
      throw .passwordTooShortAlone(minimum: alone.minimum)
    }
  }
}

extension PasswordRule {
  /// The rule beside an active second factor.
  package static let besideFactor = PasswordRule(minimum: 8, maximum: 256)
}
