import Platform
import Validation

/// The registration wizard: name, e-mail address, password twice; a way back; success leads to
/// login.
public struct RegistrationWizard: ScreenModel {
  /// The pages of the wizard, in order.
  public enum Step: String, Sendable, Hashable, CaseIterable {
    case name, email, password
  }

  /// An action of the person.
  public enum Input: Sendable, ConcealedInput {
    /// The text of a field of the current step after a keystroke.
    case typed(FieldName, String)
    /// A field lost the focus.
    case left(FieldName)
    /// The button, or Enter: to the next step; at the last one, submits.
    case next
    case back
  }

  /// A notification for the front end.
  public enum Output: Sendable, Hashable {
    /// A step appears; its fields hold what was typed before.
    case step(Step)
    /// The button of the step was enabled or disabled.
    case canGoOn(Bool)
    /// All controls are disabled, and progress is shown, while it is true.
    case loading(Bool)
    /// The outcome of an attempt to go on or to register.
    case outcome(RegistrationOutcome)
  }

  /// A request to the service.
  public enum Work: Sendable, Hashable {
    /// Creates the account.
    case register(NewPerson)
    /// The question of an asynchronous rule (C8); an earlier one of the same field is void.
    case ask(Question)
    /// The answer is no longer wanted.
    case withdraw(Question.Ticket)
  }

  /// The result of a `Work`.
  public enum Answer: Sendable {
    /// The account is created, or the registration was refused.
    case registered(Result<Registered, ScreenFailure>)
    /// The answer to the question of an asynchronous rule: whether the text satisfies it.
    case answered(Question.Ticket, Result<Bool, ScreenFailure>)
  }

  /// The page that is shown.
  public private(set) var step = Step.name
  private var isRegistering = false
  /// Whether the person submitted the step while an asynchronous rule is pending.
  private var isWaiting = false
  /// The outcome of the last attempt, until the next one.
  public private(set) var outcome: RegistrationOutcome?
  private var fields: RegistrationForm

  /// - Parameter rules: The controller's rules for names, addresses and passwords; it checks them
  ///   again.
  public init(_ rules: RuleSet) {
    fields = RegistrationForm(rules)
  }

  /// The fields of all pages.
  public var form: Form { fields.form }
  public var isLoading: Bool { isRegistering || isWaiting }
  /// Whether the fields of the page are valid, so that its button is enabled.
  public var canGoOn: Bool { !isLocked && fields.isValid(step) }
  /// Whether there is an earlier page.
  public var canGoBack: Bool { !isLocked && step.before != nil }

  /// Whether the account is created.
  public var isOver: Bool { if case .success = outcome { true } else { false } }
  /// Whether nothing can be typed or pressed.
  public var isLocked: Bool { isLoading || isOver }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    let before = canGoOn
    let effects =
      switch event {
      case .appeared: show(.name)
      case .input(let input): isLocked ? [] : handle(input)
      case .answer(.registered(let result)): finishRegistration(result)
      case .answer(.answered(let ticket, let result)): applyAnswer(ticket, result)
      }
    return effects + (canGoOn == before ? [] : [.emit(.canGoOn(canGoOn))])
  }

  private mutating func handle(_ input: Input) -> [Effect] {
    switch input {
    case .typed(let field, let text):
      guard step.fields.contains(field) else { return [] }
      outcome = nil
      return start(fields.type(text, into: field))
    case .left(let field):
      return step.fields.contains(field) ? start(fields.leave(field)) : []
    case .next: return goOn()
    case .back:
      outcome = nil
      return step.before.map { show($0) } ?? []
    }
  }

  // MARK: From step to step

  /// Shows a step; what was typed there before stays.
  private mutating func show(_ next: Step) -> [Effect] {
    step = next
    return [.emit(.step(next))]
  }

  /// Shows a step whose fields the controller has refused: they are typed anew.
  private mutating func showEmpty(_ refused: Step) -> [Effect] {
    start(fields.reset(refused)) + show(refused)
  }

  private mutating func goOn() -> [Effect] {
    outcome = nil
    guard fields.isValid(step) else { return refuse() }
    if let next = step.after { return show(next) }
    isRegistering = true
    return [.emit(.loading(true)), .start(.register(fields.person))]
  }

  /// Shows why the step is not complete, or waits for pending rules.
  private mutating func refuse() -> [Effect] {
    if step == .password, form.isMismatch {
      return start(fields.reset(.password)) + end(.mismatch)
    }
    let asked = start(fields.showMistakes(step))
    if fields.isPending(step) {
      isWaiting = true
      return [.emit(.loading(true))] + asked
    }
    // Other mistakes are shown beside their field.
    return asked + (fields.isEmpty(step) ? end(.empty) : [])
  }

  // MARK: Answers

  /// Applies the answer to a question, and goes on if the person has submitted the step.
  private mutating func applyAnswer(
    _ ticket: Question.Ticket, _ result: Result<Bool, ScreenFailure>
  ) -> [Effect] {
    let asked = start(fields.answer(ticket, try? result.get()))
    if case .failure(let failure) = result, step.fields.contains(ticket.field) {
      return asked + stopWaiting() + end(.failed(failure))
    }
    guard isWaiting, !fields.isPending(step) else { return asked }
    return asked + stopWaiting() + goOn()
  }

  private mutating func stopWaiting() -> [Effect] {
    guard isWaiting else { return [] }
    isWaiting = false
    return [.emit(.loading(false))]
  }

  private mutating func finishRegistration(
    _ result: Result<Registered, ScreenFailure>
  ) -> [Effect] {
    isRegistering = false
    let effects: [Effect] = [.emit(.loading(false))]
    switch result {
    case .success(let person): return effects + end(.success(person))
    case .failure(let failure):
      let outcome = RegistrationOutcome(failure)
      return effects + (outcome.step.map { showEmpty($0) } ?? []) + end(outcome)
    }
  }

  private func start(_ work: [Work]) -> [Effect] { work.map { .start($0) } }

  private mutating func end(_ outcome: RegistrationOutcome) -> [Effect] {
    self.outcome = outcome
    return [.emit(.outcome(outcome))]
  }
}

extension RegistrationWizard.Step {
  /// The number of the step for people, 1...3.
  public var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

  fileprivate var before: Self? { Self.allCases.last { $0.number < number } }
  fileprivate var after: Self? { Self.allCases.first { $0.number > number } }
}

extension RegistrationWizard {
  /// Returns a driver that runs the wizard with a service that creates accounts and answers the
  /// questions of rules. At the e-mail step the wizard asks whether the address is taken (E6): the
  /// service may tell this to the holder of a setup code or an invitation.
  public func driver(
    _ service: some RegistrationService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<RegistrationWizard> {
    var wizard = self
    wizard.fields.askWhetherEmailIsFree()
    let evaluator = AsyncRuleEvaluator(clock: clock) {
      (question, text) async throws(ScreenFailure) in
      try await service.answer(question, about: text)
    }
    return ScreenDriver(wizard, clock: clock) { work in
      switch work {
      case .register(let person):
        return .registered(
          await Result(of: { () throws(ScreenFailure) in try await service.register(person) }))
      case .ask(let question):
        return await evaluator.answer(question).map { .answered(question.ticket, $0) }
      case .withdraw(let ticket):
        await evaluator.withdraw(ticket)
        return nil
      }
    }
  }
}
