import Validation

/// What a changed password must keep: the rules of registration (C5), of which the minimum is lower
/// beside a second factor.
struct PasswordRules: Sendable {
  let rules: RuleSet

  init(_ rules: RuleSet) { self.rules = rules }

  /// Checks a new password for `account`.
  /// - Throws: `empty`, `tooShort`, `tooLong`, `unsuitable`, with the field `newPassword`.
  func newPassword(
    _ typed: String, for account: Account, withFactor: Bool
  ) throws(AccountError) -> Password {
    let owner = PasswordOwner(
      name: account.name.text, email: account.email.text, hasSecondFactor: withFactor)
    do throws(AccountError) {
      return try NewPassword(typed, for: owner, rules: rules).password
    } catch {
      throw AccountError(
        error.code, field: .newPassword, message: error.message, hint: error.hint)
    }
  }

  /// Passes for a password that may stand without a second factor.
  /// - Throws: `tooShort`, with the field `password`.
  func checkStandsAlone(_ password: Password) throws(AccountError) {
    let minimum = PasswordPolicy.minimum(of: rules[.password].rules, hasSecondFactor: false)
    guard password.codePoints >= minimum else { throw .passwordTooShortAlone(minimum: minimum) }
  }
}
