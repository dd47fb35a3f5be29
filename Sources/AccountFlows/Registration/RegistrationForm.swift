import Validation

/// The fields of registration, with a group for each step.
struct RegistrationForm: Sendable {
  private(set) var form: Form

  init(_ rules: RuleSet) {
    form = Form(AccountForm.registration.declaration(rules))
  }

  /// Adds the question whether the e-mail address is free (E6), unless the rules ask it already.
  mutating func askWhetherEmailIsFree() {
    let check = Check.asked(AnsweredQuestion.emailFree.rawValue)
    guard var email = form[.email]?.declaration,
      !email.rules.contains(where: { $0.check == check })
    else { return }
    email.rules.append(
      Rule(check, message: "This {field} has an account already: log in, or choose another."))
    _ = form.declare(email)
  }

  func isValid(_ step: RegistrationWizard.Step) -> Bool { form.isEnabled(step.button) }

  func isEmpty(_ step: RegistrationWizard.Step) -> Bool {
    step.fields.contains { form.text($0).isEmpty }
  }

  var person: NewPerson {
    NewPerson(
      name: form.text(.name), email: form.text(.email), password: form.text(.password))
  }

  /// Whether nothing but the answers of asynchronous rules is missing for the step to be valid (C8).
  func isPending(_ step: RegistrationWizard.Step) -> Bool {
    let open = step.fields.compactMap { form[$0] }.filter { !$0.isValid }
    return !open.isEmpty && open.allSatisfy(\.report.isPending)
  }

  // Each returns the questions to ask and to withdraw.

  mutating func type(_ text: String, into field: FieldName) -> [RegistrationWizard.Work] {
    send(.type(field, text))
  }
  mutating func leave(_ field: FieldName) -> [RegistrationWizard.Work] { send(.leave(field)) }
  mutating func showMistakes(_ step: RegistrationWizard.Step) -> [RegistrationWizard.Work] {
    send(.submit(step.group))
  }
  /// Empties the texts of a step; the toggle stays.
  mutating func reset(_ step: RegistrationWizard.Step) -> [RegistrationWizard.Work] {
    step.fields.filter { $0 != .accept }.flatMap { send(.reset($0)) }
  }
  mutating func answer(_ ticket: Question.Ticket, _ answer: Bool?) -> [RegistrationWizard.Work] {
    send(.answered(ticket, answer))
  }

  private mutating func send(_ event: FormEvent) -> [RegistrationWizard.Work] {
    form.send(event).compactMap { change in
      switch change {
      case .ask(let question): .ask(question)
      case .withdraw(let ticket): .withdraw(ticket)
      default: nil
      }
    }
  }
}

extension RegistrationWizard.Step {
  /// The fields of the step.
  public var fields: [FieldName] {
    switch self {
    case .name: [.name]
    case .email: [.email]
    case .password: NewPasswordScreen.fields + [.accept]
    }
  }

  init?(field: String) {
    guard let step = Self.allCases.first(where: { $0.fields.contains(FieldName(field)) }) else {
      return nil
    }
    self = step
  }

  fileprivate var group: GroupName { GroupName(rawValue) }
  var button: ControlName { ControlName(rawValue) }
}
