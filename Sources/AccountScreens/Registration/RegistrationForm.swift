import Validation

/// The fields of registration, a group a step.
struct RegistrationForm: Sendable {
  private(set) var form: Form

  init(_ rules: RuleSet) {
    form = Form(
      RegistrationWizard.Step.allCases.flatMap(\.fields).map { rules[$0] },
      groups: RegistrationWizard.Step.allCases.map { step in
        FormGroup(step.group, fields: step.fields, controls: [step.button])
      })
  }

  func isValid(_ step: RegistrationWizard.Step) -> Bool { form.isEnabled(step.button) }

  func isEmpty(_ step: RegistrationWizard.Step) -> Bool {
    step.fields.contains { form.text($0).isEmpty }
  }

  /// Whether the password is right by itself and the second typing is all that is wrong.
  var isMismatch: Bool {
    form[.password]?.isValid == true && form[.passwordAgain]?.isValid == false
      && !form.text(.passwordAgain).isEmpty
  }

  var person: NewPerson {
    NewPerson(
      name: form.text(.name), email: form.text(.email), password: form.text(.password))
  }

  mutating func type(_ text: String, into field: FieldName) { _ = form.send(.type(field, text)) }
  mutating func leave(_ field: FieldName) { _ = form.send(.leave(field)) }
  mutating func reveal(_ step: RegistrationWizard.Step) { _ = form.send(.submit(step.group)) }
  mutating func reset(_ step: RegistrationWizard.Step) {
    for field in step.fields { _ = form.send(.reset(field)) }
  }
}

extension RegistrationWizard.Step {
  /// The fields that it shows.
  package var fields: [FieldName] {
    switch self {
    case .name: [.name]
    case .email: [.email]
    case .password: [.password, .passwordAgain]
    }
  }

  init?(field: String) {
    guard let step = Self.allCases.first(where: { $0.fields.contains(FieldName(field)) }) else {
      return nil
    }
    self = step
  }

  fileprivate var group: GroupName { GroupName(rawValue) }
  fileprivate var button: ControlName { ControlName(rawValue) }
}
