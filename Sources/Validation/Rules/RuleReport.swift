/// The result of one rule.
public struct RuleResult: Hashable, Sendable {
  /// Whether the rule is kept.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    case satisfied, unsatisfied
    /// An asynchronous answer is missing.
    case pending
  }

  /// The check's name: `minLength`.
  public let rule: String
  /// Whether the rule is advice, which does not block.
  public let isAdvice: Bool
  /// Whether the text keeps the rule.
  public let outcome: Outcome
  /// The requirement: "at most 256 characters".
  public let statement: String
  /// The instruction for a broken rule, with the field's name.
  public let message: String
}

/// The results of a field's rules (C4).
public struct RuleReport: Hashable, Sendable {
  /// The result of all rules together.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// No text; no rule counts as kept.
    case empty
    /// A rule is broken or pending; advice does not count.
    case invalid
    case valid
  }

  /// Whether the text may be submitted, as far as its rules go.
  public let state: State
  /// A result for each rule, in the order of the rules.
  public let results: [RuleResult]

  /// The number of kept rules; advice does not count.
  public var satisfied: Int { blocking.count { $0.outcome == .satisfied } }
  /// The number of rules; advice does not count.
  public var total: Int { blocking.count }
  /// The progress from 0 to 1.
  public var fraction: Double {
    if total > 0 { return Double(satisfied) / Double(total) }
    return state == .valid ? 1 : 0
  }

  /// Whether only asynchronous answers are missing.
  public var isPending: Bool { state == .invalid && isUndisputed }

  /// Whether there is a text and no rule is broken.
  var isUndisputed: Bool {
    state != .empty && !blocking.contains { $0.outcome == .unsatisfied }
  }

  /// The instruction of the first broken rule.
  public var firstMessage: String? {
    blocking.first { $0.outcome == .unsatisfied }?.message
  }

  private var blocking: [RuleResult] { results.filter { !$0.isAdvice } }
}
