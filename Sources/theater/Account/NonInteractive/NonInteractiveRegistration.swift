import AccountFlows
import Validation

/// The registration wizard with one line of input for each answer.
struct NonInteractiveRegistration {
  /// Answers from the command line.
  let given: [FieldName: String]
  /// Whether the password is one line of standard input, and is not asked for again.
  let takesPasswordOnce: Bool

  /// Answers each step of the wizard.
  /// - Throws: `ExitError` at the first answer that is refused.
  func run(_ driver: ScreenDriver<RegistrationWizard>) async throws -> Registered {
    try await NonInteractivePrompt.run(driver) { prompt in
      for step in RegistrationWizard.Step.allCases {
        for field in step.fields {
          let screen = await prompt.send(.typed(field, try answer(field, await prompt.screen.form)))
          try Self.refuseBrokenPassword(field, screen.form)
        }
        let wizard = await prompt.send(.next)
        if case .success(let person) = wizard.outcome { return person }
        if wizard.step == step || wizard.outcome != nil { throw exitError(for: wizard) }
      }
      throw ExitError(.failed, "the registration was not finished")
    }
  }

  /// Registers by a one-time code: the address or number, the code, then the personal data (D10).
  /// - Parameter address: Where the code is sent; `nil` to ask.
  /// - Throws: `ExitError` at the first answer that is refused.
  func run(
    _ driver: ScreenDriver<CodeRegistration>, by contact: CodeContact, to address: String?
  ) async throws -> LoggedInPerson {
    let code = NonInteractiveCode<CodeRegistration>(
      prompt: contact.prompt, address: address, flow: { $0.flow }, input: { .code($0) })
    return try await NonInteractivePrompt.run(driver) { prompt in
      var screen = try await code.enter(&prompt)
      for field in RegistrationWizard.Step.allCases.flatMap(\.fields)
      where screen.fields.contains(field) {
        screen = await prompt.send(.typed(field, try answer(field, screen.form)))
        try Self.refuseBrokenPassword(field, screen.form)
      }
      screen = await prompt.send(.submit)
      guard let person = screen.person else {
        throw exitError(for: screen.failure, screen.fields, of: screen.form)
      }
      return person
    }
  }

  /// Returns the answer for a field.
  /// - Parameter form: The form with the answers before it.
  private func answer(_ field: FieldName, _ form: Form) throws(ExitError) -> String {
    if let text = given[field] { return text }
    switch field {
    case .name: return try Prompt.line("Your name")
    case .email: return try Prompt.line("E-mail address")
    // Who registers by lines has read the help of the command, which says so.
    case .accept: return FieldKind.on
    case .passwordAgain:
      return takesPasswordOnce ? form.text(.password) : try Prompt.repetition()
    default: return try Prompt.password(fromInput: takesPasswordOnce)
    }
  }

  /// Throws if the password breaks a rule, before its repetition is asked for.
  private static func refuseBrokenPassword(
    _ field: FieldName, _ form: Form
  ) throws(ExitError) {
    guard field == .password, let mistake = form.mistake(field) else { return }
    throw ExitError(.failed, mistake)
  }

  /// The reason why the wizard stays at its step.
  private func exitError(for wizard: RegistrationWizard) -> ExitError {
    switch wizard.outcome {
    case .taken(let refusal), .internalError(let refusal): return ExitError(.refused(refusal))
    case .failed(let failure): return ExitError(failure)
    case .mismatch: return ExitError(.failed, wizard.outcome?.text ?? "")
    case .success, .empty, nil: return exitError(for: nil, wizard.step.fields, of: wizard.form)
    }
  }

  /// The reason why a form was not submitted, or was refused.
  private func exitError(
    for failure: ScreenFailure?, _ fields: [FieldName], of form: Form
  ) -> ExitError {
    if let failure { return ExitError(failure) }
    // The message of a rule says more than "empty".
    let wrong = fields.lazy.compactMap { form[$0] }.first { !$0.isValid }
    return ExitError(.failed, wrong?.message ?? "An answer is missing or invalid.")
  }
}
