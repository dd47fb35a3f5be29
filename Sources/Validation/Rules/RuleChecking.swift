extension RuleReport {
  /// Evaluates the kind and the rules of a field.
  ///
  /// - Parameters:
  ///   - label: The field's name in messages.
  ///   - answers: The answers to asynchronous rules about this text, by question.
  public init(
    _ typed: String, kind: FieldKind = .text, rules: [Rule], field label: String,
    in context: RuleContext = RuleContext(), answers: [String: Bool] = [:]
  ) {
    let text = TypedText(typed)
    let ofKind = [kind.result(for: typed, field: label)].compactMap { $0 }
    let ofRules = rules.filter { $0.check.applies(in: context) }.map { rule in
      RuleResult(
        rule: rule.check.name, isAdvice: rule.isAdvice,
        outcome: rule.check.outcome(for: text, in: context, answers: answers),
        statement: rule.statement(field: label, in: context),
        message: rule.message(field: label, in: context))
    }
    results = ofKind + ofRules
    let keepsAll = results.allSatisfy { $0.isAdvice || $0.outcome == .satisfied }
    state = text.isEmpty ? .empty : keepsAll ? .valid : .invalid
  }
}

extension Check {
  /// Whether the check applies: a comparison needs the other field in the form.
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

  /// A text beyond every limit is neither empty nor too short; no other check reads it.
  private var isKeptByOverlong: Bool {
    switch self {
    case .notEmpty, .minLength: true
    default: false
    }
  }

  private func isKept(by text: TypedText, in context: RuleContext) -> Bool {
    let points = text.codePoints
    return switch self {
    // Checks the text as typed: NFKC turns a sign like ´ into a space and a combining mark.
    case .notEmpty: text.raw.unicodeScalars.contains(where: \.isVisible)
    case .minLength: points.count >= length(in: context) ?? 0
    case .maxLength(let most): points.count <= most
    case .symbol: points.contains(where: \.isSymbol)
    case .upperCase: points.contains(where: \.isUpperCase)
    case .digit: points.contains(where: \.isDigit)
    case .pattern(let pattern): pattern.matches(points)
    case .email: EmailSyntax.isValid(text.raw)
    case .phone: PhoneSyntax.canonical(text.raw) != nil
    case .notInBlocklist: !Blocklist.contains(points)
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
