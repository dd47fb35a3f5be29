import Validation

/// The owner of a new password: texts that it must not contain, and whether it may be shorter.
public struct PasswordOwner: Sendable {
  let name: String
  let email: String
  let hasSecondFactor: Bool

  /// - Parameters:
  ///   - name: The display name, which the password must not contain.
  ///   - email: The e-mail address, which the password must not contain.
  ///   - hasSecondFactor: Whether the shorter minimum length holds.
  public init(name: String, email: String, hasSecondFactor: Bool = false) {
    self.name = name
    self.email = email
    self.hasSecondFactor = hasSecondFactor
  }
}

/// A password that has passed the rules for new ones, which are checked here even if a front end has checked them (C5).
/// Registration and every change require it. A login does not: the account may be older than the rules.
public struct NewPassword: Sendable, Redacted {
  public let password: Password

  /// Checks `typed` by the rules that `rules` has for passwords.
  /// - Throws: `empty`, `tooShort`, `tooLong` or `unsuitable`, with the field `password`.
  public init(
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
  /// Checks `typed` by the rules of the field `name`, except for asynchronous rules (C8), which the
  /// store decides.
  /// - Throws: `empty`, `tooShort`, `tooLong`, `malformed` or `unsuitable`; the hint lists all broken rules.
  func check(
    _ typed: String, in name: FieldName, context: RuleContext? = nil
  ) throws(AccountError) {
    let context = context ?? RuleContext(values: [name: typed])
    let report = report(on: typed, in: name, context: context)
    if report.state == .valid || report.isPending { return }
    if report.state == .empty, !self[name].isRequired { return }
    let field = AccountError.Field(rawValue: name.text)
    if report.state == .empty, let field { throw .empty(field) }
    let broken = report.results.filter { !$0.isAdvice && $0.outcome == .unsatisfied }
    throw AccountError(
      AccountError.Code(brokenRule: broken.first?.rule), field: field,
      message: "This \(self[name].label) does not meet the rules.",
      hint: broken.map(\.message).joined(separator: " "))
  }
}

extension AccountError.Code {
  /// The code for the first broken rule.
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
