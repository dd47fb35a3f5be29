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
        for (field, text) in try answers(step) { await prompt.send(.typed(field, text)) }
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
      for step in RegistrationWizard.Step.allCases
      where step.fields.allSatisfy(screen.fields.contains) {
        for (field, text) in try answers(step) { await prompt.send(.typed(field, text)) }
      }
      screen = await prompt.send(.submit)
      guard let person = screen.person else {
        throw exitError(for: screen.failure, screen.fields, of: screen.form)
      }
      return person
    }
  }

  private func answers(_ step: RegistrationWizard.Step) throws -> [(FieldName, String)] {
    switch step {
    case .name: return [(.name, try given[.name] ?? Prompt.line("Your name"))]
    case .email: return [(.email, try given[.email] ?? Prompt.line("E-mail address"))]
    case .password:
      let password = try Prompt.password(fromInput: takesPasswordOnce, twice: false)
      let again = takesPasswordOnce ? password : try Prompt.hiddenLine("The same again")
      return [(.password, password), (.passwordAgain, again)]
    }
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
