/// The minimum length of a rule set's passwords, and whether it is sufficient outside demo mode (C9).
package enum PasswordPolicy {
  /// The lowest allowed blocking minimum, with or without a second factor (NIST SP 800-63B-4).
  package static let lowestMinimum = 8

  /// The shortest password that the rules accept, with or without a second factor.
  package static func minimum(of rules: [Rule]) -> Int {
    min(minimum(of: rules, hasSecondFactor: false), minimum(of: rules, hasSecondFactor: true))
  }

  /// The shortest password that the rules accept.
  package static func minimum(of rules: [Rule], hasSecondFactor: Bool) -> Int {
    rules.filter { !$0.isAdvice }.map { rule in
      guard case .minLength = rule.check else { return 0 }
      return rule.check.length(in: RuleContext(hasSecondFactor: hasSecondFactor)) ?? 0
    }.max() ?? 0
  }

  /// The contradicting minimum and maximum; nil when there are accepted lengths.
  package static func contradiction(in rules: [Rule]) -> (minimum: Int, maximum: Int)? {
    var (least, most) = (0, Int.max)
    for rule in rules where !rule.isAdvice {
      if case .minLength(let length, _) = rule.check { least = max(least, length) }
      if case .maxLength(let length) = rule.check { most = min(most, length) }
    }
    return least > most ? (least, most) : nil
  }
}
