/// What a rule set asks of passwords, and whether that is enough for a theater that is no
/// demonstration (C9).
package enum PasswordPolicy {
  /// No blocking minimum may be lower, with a second factor or without (NIST SP 800-63B-4).
  package static let lowestMinimum = 8

  /// How short a password may be that the rules let pass, with a second factor where that is less.
  package static func minimum(of rules: [Rule]) -> Int {
    min(minimum(of: rules, hasSecondFactor: false), minimum(of: rules, hasSecondFactor: true))
  }

  /// How short a password may be that the rules let pass, with a second factor or without.
  package static func minimum(of rules: [Rule], hasSecondFactor: Bool) -> Int {
    rules.filter { !$0.isAdvice }.map { rule in
      guard case .minLength = rule.check else { return 0 }
      return rule.check.length(in: RuleContext(hasSecondFactor: hasSecondFactor)) ?? 0
    }.max() ?? 0
  }

  /// The lengths between which no password lies; nil where there is one.
  package static func contradiction(in rules: [Rule]) -> (minimum: Int, maximum: Int)? {
    var (least, most) = (0, Int.max)
    for rule in rules where !rule.isAdvice {
      if case .minLength(let length, _) = rule.check { least = max(least, length) }
      if case .maxLength(let length) = rule.check { most = min(most, length) }
    }
    return least > most ? (least, most) : nil
  }
}
