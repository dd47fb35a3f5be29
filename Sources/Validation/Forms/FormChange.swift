/// An event of a form.
public enum FormEvent: Hashable, Sendable, CustomStringConvertible {
  /// The field has this text now; sent at every keystroke (C3).
  case type(FieldName, String)
  /// The field lost the focus.
  case leave(FieldName)
  /// The person submits a group: mistakes in its fields are shown.
  case submit(GroupName)
  /// A field is reset to this text.
  case reset(FieldName, to: String = "")
  /// Whether the account has a second factor, which may relax rules.
  case secondFactor(Bool)
  /// The answer to a question; nil when it could not be obtained.
  case answered(Question.Ticket, Bool?)

  /// The toggle was switched.
  public static func set(_ name: FieldName, on isOn: Bool) -> FormEvent {
    .type(name, isOn ? FieldKind.on : "")
  }

  /// The event without its values.
  public var description: String {
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

/// A difference after an event; unchanged values are not reported (B3).
public enum FormChange: Hashable, Sendable {
  /// The display state or rule report of a field.
  case field(FieldName, FieldView)
  /// The field was removed.
  case removed(FieldName)
  /// Whether all fields of the group are valid.
  case group(GroupName, isValid: Bool)
  /// Whether all groups that drive the control are valid.
  case control(ControlName, isEnabled: Bool)
  /// A rule needs an asynchronous answer; an earlier question of the same field and rule is void.
  case ask(Question)
  /// The answer is no longer wanted.
  case withdraw(Question.Ticket)
}

/// The visible state of a field, without its value.
public struct FieldView: Hashable, Sendable {
  /// The state to display.
  public let display: FieldDisplay
  /// Whether the value may be submitted.
  public let isValid: Bool
  /// The result of each rule.
  public let report: RuleReport
  /// The instruction; only while a mistake is shown.
  public let message: String?

  init(_ field: Field) {
    display = field.display
    isValid = field.isValid
    report = field.report
    message = field.display == .invalidShown ? field.message : nil
  }
}

/// The question of an asynchronous rule (C8). Descriptions leave its text out.
public struct Question: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// Identifies a question; a higher number is newer.
  public struct Ticket: Hashable, Sendable {
    /// The field whose text is in question.
    public let field: FieldName
    /// The name of the question, such as `emailFree`.
    public let question: String
    /// The number of the question: a later one replaces it.
    public let number: Int
  }

  /// The question without the text; the answer names it.
  public let ticket: Ticket
  /// The text that the question is about.
  public let text: String

  public var description: String { "Question(\(ticket.question) of \(ticket.field))" }
  public var customMirror: Mirror { Mirror(self, children: ["ticket": ticket]) }
}
