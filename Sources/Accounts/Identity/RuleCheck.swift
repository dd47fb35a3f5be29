import Validation

/// Who a new password is for: what must not stand in it, and how long it must be.
package struct PasswordOwner: Sendable {
  let name: String
  let email: String
  let hasSecondFactor: Bool

  package init(name: String, email: String, hasSecondFactor: Bool = false) {
    self.name = name
    self.email = email
    self.hasSecondFactor = hasSecondFactor
  }
}

/// A password that keeps the rules for new ones. There is no other way to one: registration and
/// every change go through here, whatever a front end has checked (C5). Logging in does not ask
/// rules: an account outlives them.
package struct NewPassword: Sendable, Redacted {
  package let password: Password

  /// Checks `typed` by the rules that `rules` has for passwords.
  /// - Throws: `empty`, `tooShort`, `tooLong` or `unsuitable`, with the field `password`.
  package init(
    _ typed: String, for owner: PasswordOwner, rules: RuleSet
  ) throws(AccountError) {
    password = try Password(typed)
    try rules.check(
      typed, in: .password,
      context: RuleContext(
        values: [.name: owner.name, .email: owner.email, .password: typed],
        hasSecondFactor: owner.hasSecondFactor))
  }
}

extension RuleSet {
  /// Passes when `typed` keeps the rules of the field `name`. What a rule asks elsewhere (C8) is
  /// decided where the text is stored, not by looking first.
  /// - Throws: `empty`, `tooShort`, `tooLong` or `unsuitable`; the hint says all that is to be done.
  func check(
    _ typed: String, in name: FieldName, context: RuleContext
  ) throws(AccountError) {
    let report = report(on: typed, in: name, context: context)
    if report.state == .valid || report.isPending { return }
    if report.state == .empty, !self[name].isRequired { return }
    let field = AccountError.Field(rawValue: name.text)
    if report.state == .empty, let field { throw .empty(field) }
    let broken = report.results.filter { !$0.isAdvice && $0.outcome == .unsatisfied }
    throw AccountError(
      AccountError.Code(brokenRule: broken.first?.rule), field: field,
      message: "This \(self[name].label) does not keep the rules.",
      hint: broken.map(\.message).joined(separator: " "))
  }
}

extension AccountError.Code {
  /// What the first rule that is not kept amounts to.
  fileprivate init(brokenRule rule: String?) {
    switch rule {
    case "notEmpty": self = .empty
    case "minLength": self = .tooShort
    case "maxLength": self = .tooLong
    case "email", "phone": self = .malformed
    default: self = .unsuitable
    }
  }
}
