/// What happens to a form.
package enum FormEvent: Hashable, Sendable, CustomStringConvertible {
  /// The field holds this now: sent at every keystroke (C3).
  case type(FieldName, String)
  /// The person goes on to something else.
  case leave(FieldName)
  /// The person wants to be done with a group: mistakes in its fields are shown.
  case submit(GroupName)
  /// A field begins anew with this text.
  case reset(FieldName, to: String = "")
  /// A second factor guards the account, or does no longer.
  case secondFactor(Bool)
  /// Somebody else has answered; nil where no answer could be had.
  case answered(Question.Ticket, Bool?)

  /// Without what is typed.
  package var description: String {
    switch self {
    case .type(let name, _): "type(\(name))"
    case .leave(let name): "leave(\(name))"
    case .submit(let group): "submit(\(group))"
    case .reset(let name, _): "reset(\(name))"
    case .secondFactor(let has): "secondFactor(\(has))"
    case .answered(let ticket, _): "answered(\(ticket.field))"
    }
  }
}

/// What is different after an event; what stayed the same is not told (B3).
package enum FormChange: Hashable, Sendable {
  /// What the field looks like, or what its rules say.
  case field(FieldName, FieldView)
  /// The field is no longer there.
  case removed(FieldName)
  case group(GroupName, isValid: Bool)
  case control(ControlName, isEnabled: Bool)
  /// A rule wants an answer from elsewhere; one asked before for the same field and rule is void.
  case ask(Question)
  /// The answer is no longer wanted.
  case withdraw(Question.Ticket)
}

/// What there is to show of a field, without what is typed.
package struct FieldView: Hashable, Sendable {
  package let display: FieldDisplay
  package let isValid: Bool
  package let report: RuleReport
  /// What to do; only while a mistake is shown.
  package let message: String?

  init(_ field: Field) {
    display = field.display
    isValid = field.isValid
    report = field.report
    message = field.display == .invalidShown ? field.message : nil
  }
}

/// What a rule wants to know from elsewhere (C8). Its text does not show in descriptions.
package struct Question: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// Tells the questions about one field apart; a higher number is newer.
  package struct Ticket: Hashable, Sendable {
    package let field: FieldName
    /// What is asked, such as `emailFree`.
    package let question: String
    package let number: Int
  }

  package let ticket: Ticket
  /// What is asked about.
  package let text: String

  package var description: String { "Question(\(ticket.question) of \(ticket.field))" }
  package var customMirror: Mirror { Mirror(self, children: ["ticket": ticket]) }
}
