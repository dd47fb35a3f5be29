extension RuleReport {
  /// Asks each of `rules` about `typed`.
  ///
  /// - Parameters:
  ///   - label: What people call the field, for the messages.
  ///   - answers: What others answered about this very text, by question.
  package init(
    _ typed: String, rules: [Rule], field label: String, in context: RuleContext = RuleContext(),
    answers: [String: Bool] = [:]
  ) {
    let text = TypedText(typed)
    results = rules.filter { $0.check.applies(in: context) }.map { rule in
      RuleResult(
        rule: rule.check.name, isAdvice: rule.isAdvice,
        outcome: rule.check.outcome(for: text, in: context, answers: answers),
        statement: rule.statement(field: label, in: context),
        message: rule.message(field: label, in: context))
    }
    let keepsAll = results.allSatisfy { $0.isAdvice || $0.outcome == .satisfied }
    state = text.isEmpty ? .empty : keepsAll ? .valid : .invalid
  }
}

extension Check {
  /// Whether there is anything to ask: a field that the form does not have is like nothing.
  func applies(in context: RuleContext) -> Bool {
    other.map { context.values[$0] != nil } ?? true
  }

  fileprivate func outcome(
    for text: TypedText, in context: RuleContext, answers: [String: Bool]
  ) -> RuleResult.Outcome {
    if text.isEmpty { return .unsatisfied }
    if text.isOverlong { return isKeptByOverlong ? .satisfied : .unsatisfied }
    if case .asked(let question) = self {
      return answers[question].map { $0 ? .satisfied : .unsatisfied } ?? .pending
    }
    return isKept(by: text, in: context) ? .satisfied : .unsatisfied
  }

  /// A text beyond every limit is not empty and not short; what else it is, nobody looks.
  private var isKeptByOverlong: Bool {
    switch self {
    case .notEmpty, .minLength: true
    default: false
    }
  }

  private func isKept(by text: TypedText, in context: RuleContext) -> Bool {
    let points = text.codePoints
    return switch self {
    // As typed: normalised, a sign like ´ would be a space with a mark.
    case .notEmpty: text.raw.unicodeScalars.contains(where: \.isVisible)
    case .minLength: points.count >= length(in: context) ?? 0
    case .maxLength(let most): points.count <= most
    case .symbol: points.contains(where: \.isSymbol)
    case .upperCase: points.contains(where: \.isUpperCase)
    case .digit: points.contains(where: \.isDigit)
    case .pattern(let pattern): pattern.matches(points)
    case .email: EmailForm.isKept(by: text.raw)
    case .phone: PhoneForm.canonical(text.raw) != nil
    case .notInBlocklist: !Blocklist.holds(points)
    case .noPersonalWords(let fields):
      !fields.compactMap { context.values[$0] }.contains {
        PersonalWords.occur(of: $0, in: points)
      }
    case .equals(let other):
      context.values[other].map { TypedText($0).codePoints == points } ?? true
    case .asked: false
    }
  }
}
