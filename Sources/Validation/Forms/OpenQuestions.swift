/// The questions of a form's asynchronous rules and their answers. For one field and rule only the
/// newest question counts (C8).
struct OpenQuestions {
  private struct Subject: Hashable {
    let field: FieldName
    let question: String
  }

  private enum State {
    case waiting(Question)
    case answered(text: String, Bool)
    /// No answer was obtained; asked again for another text, and on submit.
    case failed(text: String)
  }

  private var states: [Subject: State] = [:]
  private var lastNumber = 0

  /// The unanswered questions.
  var waiting: [Question] {
    states.values.compactMap { if case .waiting(let question) = $0 { question } else { nil } }
      .sorted { $0.ticket.number < $1.ticket.number }
  }

  /// The answers about the field's current text.
  func answers(about field: Field) -> [String: Bool] {
    var answers: [String: Bool] = [:]
    for (subject, state) in states where subject.field == field.name {
      if case .answered(let text, let answer) = state, Self.areSame(text, field.text) {
        answers[subject.question] = answer
      }
    }
    return answers
  }

  /// Applies an answer; one to an older question is ignored.
  mutating func answer(_ ticket: Question.Ticket, _ answer: Bool?) {
    let subject = Subject(field: ticket.field, question: ticket.question)
    guard case .waiting(let question) = states[subject], question.ticket == ticket else { return }
    states[subject] =
      answer.map { .answered(text: question.text, $0) } ?? .failed(text: question.text)
  }

  /// Adds the questions of `field`: only when its other rules are kept, and once for a text.
  mutating func update(for field: Field, report: RuleReport) {
    for rule in field.declaration.rules {
      guard case .asked(let name) = rule.check else { continue }
      let subject = Subject(field: field.name, question: name)
      guard report.isUndisputed else {
        if case .waiting = states[subject] { states[subject] = nil }
        continue
      }
      guard !isKnown(subject, about: field.text) else { continue }
      lastNumber += 1
      let ticket = Question.Ticket(field: field.name, question: name, number: lastNumber)
      states[subject] = .waiting(Question(ticket: ticket, text: field.text))
    }
  }

  /// Forgets the failed questions of a field, so that `update` asks them again.
  mutating func retry(_ field: FieldName) {
    for (subject, state) in states where subject.field == field {
      if case .failed = state { states[subject] = nil }
    }
  }

  /// Removes the questions of removed fields.
  mutating func removeQuestions(where isRemoved: (FieldName) -> Bool) {
    states = states.filter { !isRemoved($0.key.field) }
  }

  /// The withdrawn questions, then the new ones.
  func changes(since before: OpenQuestions) -> [FormChange] {
    let (old, new) = (before.waiting, waiting)
    return old.filter { !new.contains($0) && !isAnswered($0.ticket) }.map { .withdraw($0.ticket) }
      + new.filter { !old.contains($0) }.map { .ask($0) }
  }

  private func isAnswered(_ ticket: Question.Ticket) -> Bool {
    switch states[Subject(field: ticket.field, question: ticket.question)] {
    case .answered, .failed: true
    case .waiting, nil: false
    }
  }

  private func isKnown(_ subject: Subject, about text: String) -> Bool {
    switch states[subject] {
    case .waiting(let question): Self.areSame(question.text, text)
    case .answered(let known, _), .failed(let known): Self.areSame(known, text)
    case nil: false
    }
  }

  /// Compares bytes, because `==` treats two spellings of é as equal.
  private static func areSame(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }
}
