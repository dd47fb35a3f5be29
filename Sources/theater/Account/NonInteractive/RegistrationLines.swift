import AccountFlows
import Validation

/// The registration wizard for answers that come a line each.
struct RegistrationLines {
  /// What is known already.
  let given: [FieldName: String]
  /// Whether the password is one line of standard input, and is not asked for again.
  let takesPasswordOnce: Bool

  /// Walks through the wizard.
  /// - Throws: An `ExitError` at the first step that is not right.
  func play(_ driver: ScreenDriver<RegistrationWizard>) async throws -> Registered {
    try await NonInteractivePrompt.play(driver) { play in
      for step in RegistrationWizard.Step.allCases {
        for (field, text) in try answers(step) { await play.send(.typed(field, text)) }
        let wizard = await play.send(.next)
        if case .success(let person) = wizard.outcome { return person }
        if wizard.step == step || wizard.outcome != nil { throw ending(wizard) }
      }
      throw ExitError(.failed, "the wizard has not come to its end")
    }
  }

  private func answers(_ step: RegistrationWizard.Step) throws -> [(FieldName, String)] {
    switch step {
    case .name: return [(.name, try given[.name] ?? Question.ask("Your name"))]
    case .email: return [(.email, try given[.email] ?? Question.ask("E-mail address"))]
    case .password:
      let password = try Question.password(fromInput: takesPasswordOnce, twice: false)
      let again = takesPasswordOnce ? password : try Question.unseen("The same again")
      return [(.password, password), (.passwordAgain, again)]
    }
  }

  /// Why the wizard does not go on.
  private func ending(_ wizard: RegistrationWizard) -> ExitError {
    switch wizard.outcome {
    case .taken(let refusal), .internalError(let refusal): return ExitError(.refused(refusal))
    case .failed(let failure): return ExitError(failure)
    case .success, .mismatch, .empty, nil: break
    }
    // What the rules say is more than that something is empty or differs.
    let wrong = wizard.step.fields.lazy.compactMap { wizard.form[$0] }.first { !$0.isValid }
    let text = wizard.outcome == .mismatch ? nil : wrong?.message
    return ExitError(.failed, text ?? wizard.outcome?.text ?? "This is not right.")
  }
}
