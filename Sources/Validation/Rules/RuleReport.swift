/// What one rule says about a text.
package struct RuleResult: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case satisfied, unsatisfied
    /// Somebody else has yet to answer.
    case pending
  }

  /// The check's name: `minLength`.
  package let rule: String
  package let isAdvice: Bool
  package let outcome: Outcome
  /// The requirement, whether or not it is kept: "at most 256 characters".
  package let statement: String
  /// The instruction for a broken rule, with the field's name.
  package let message: String
}

/// What the rules of a field say about its text (C4).
package struct RuleReport: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// Nothing is typed; no rule counts as kept.
    case empty
    /// A rule that counts is not kept, or not answered yet.
    case invalid
    case valid
  }

  package let state: State
  /// A result for each rule, in the order of the rules.
  package let results: [RuleResult]

  /// How many rules are kept; advice does not count.
  package var satisfied: Int { blocking.count { $0.outcome == .satisfied } }
  /// How many rules there are; advice does not count.
  package var total: Int { blocking.count }
  /// The progress from 0 to 1.
  package var fraction: Double {
    if total > 0 { return Double(satisfied) / Double(total) }
    return state == .valid ? 1 : 0
  }

  /// Whether only an answer from elsewhere is missing.
  package var isPending: Bool { state == .invalid && isUndisputed }

  /// Whether something is typed and no rule that counts is against it.
  var isUndisputed: Bool {
    state != .empty && !blocking.contains { $0.outcome == .unsatisfied }
  }

  /// What to do first.
  package var firstMessage: String? {
    blocking.first { $0.outcome == .unsatisfied }?.message
  }

  private var blocking: [RuleResult] { results.filter { !$0.isAdvice } }
}
