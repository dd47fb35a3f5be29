/// The result of one rule.
package struct RuleResult: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case satisfied, unsatisfied
    /// An asynchronous answer is missing.
    case pending
  }

  /// The check's name: `minLength`.
  package let rule: String
  package let isAdvice: Bool
  package let outcome: Outcome
  /// The requirement: "at most 256 characters".
  package let statement: String
  /// The instruction for a broken rule, with the field's name.
  package let message: String
}

/// The results of a field's rules (C4).
package struct RuleReport: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// No text; no rule counts as kept.
    case empty
    /// A rule is broken or pending; advice does not count.
    case invalid
    case valid
  }

  package let state: State
  /// A result for each rule, in the order of the rules.
  package let results: [RuleResult]

  /// The number of kept rules; advice does not count.
  package var satisfied: Int { blocking.count { $0.outcome == .satisfied } }
  /// The number of rules; advice does not count.
  package var total: Int { blocking.count }
  /// The progress from 0 to 1.
  package var fraction: Double {
    if total > 0 { return Double(satisfied) / Double(total) }
    return state == .valid ? 1 : 0
  }

  /// Whether only asynchronous answers are missing.
  package var isPending: Bool { state == .invalid && isUndisputed }

  /// Whether there is a text and no rule is broken.
  var isUndisputed: Bool {
    state != .empty && !blocking.contains { $0.outcome == .unsatisfied }
  }

  /// The instruction of the first broken rule.
  package var firstMessage: String? {
    blocking.first { $0.outcome == .unsatisfied }?.message
  }

  private var blocking: [RuleResult] { results.filter { !$0.isAdvice } }
}
