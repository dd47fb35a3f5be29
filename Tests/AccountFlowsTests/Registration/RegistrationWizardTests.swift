import TestSupport
import Testing
import Validation

@testable import AccountFlows

private let long = "four lions in a cinema"
private let ann = Registered(name: "Ann", email: "ann@example.org", role: "owner")

private let rules = RuleSet(
  "of these tests",
  fields: [
    FieldDeclaration(.name, rules: [Rule(.notEmpty)]),
    FieldDeclaration(.email, label: "e-mail address", rules: [Rule(.notEmpty), Rule(.email)]),
    FieldDeclaration(
      .password, isSecret: true,
      rules: [Rule(.minLength(15)), Rule(.noPersonalWords([.name, .email]))]),
    FieldDeclaration(.passwordAgain, isSecret: true, rules: [Rule(.equals(.password))]),
  ])

@Suite("the registration wizard", .timeLimit(.minutes(5)))
struct RegistrationWizardTests {
  private func played(at step: RegistrationWizard.Step = .name) -> Played<RegistrationWizard> {
    var played = Played(RegistrationWizard(rules))
    if step != .name { played.send(.typed(.name, "Ann"), .next) }
    if step == .password { played.send(.typed(.email, "ann@example.org"), .next) }
    _ = played.newOutputs()
    return played
  }

  private func submitted() -> Played<RegistrationWizard> {
    var played = played(at: .password)
    played.send(
      .typed(.password, long), .typed(.passwordAgain, long), .typed(.accept, FieldKind.on), .next)
    _ = (played.newOutputs())
    return played
  }

  // MARK: E6

  @Test("E6 · three steps: name, e-mail address, password twice; then the controller is asked")
  func threeSteps() {
    var played = Played(RegistrationWizard(rules))
    played.send(.typed(.name, "Ann"), .next)
    played.send(.typed(.email, "ann@example.org"), .next)
    played.send(
      .typed(.password, long), .typed(.passwordAgain, long), .typed(.accept, FieldKind.on), .next)
    let steps = played.outputs.compactMap { output -> RegistrationWizard.Step? in
      if case .step(let step) = output { step } else { nil }
    }
    #expect(steps == [.name, .email, .password])
    #expect(steps.map(\.number) == [1, 2, 3])
    #expect(
      played.work == [
        .register(NewPerson(name: "Ann", email: "ann@example.org", password: long))
      ])
    #expect(played.screen.isLocked && played.outputs.last == .canGoOn(false))
  }

  @Test("E6 B7 · a step is left only while its fields are right, at every keystroke")
  func checksPerStep() {
    var played = played(at: .email)
    for text in ["a", "ann@", "ann@example"] {
      played.send(.typed(.email, text))
      #expect(!played.screen.canGoOn)
    }
    played.send(.next)
    #expect(played.screen.step == .email)
    #expect(played.screen.form[.email]?.display == .invalidShown)
    played.send(.typed(.email, "ann@example.org"))
    #expect(played.screen.canGoOn)
    #expect(played.newOutputs() == [.canGoOn(true)])
  }

  @Test("E6 · a step is empty at first, and the way back and on again keeps what was typed")
  func wayBackKeepsTexts() {
    var played = played(at: .password)
    #expect(played.screen.form.text(.password) == "")
    played.send(.typed(.password, "half a pass"), .back)
    #expect(played.screen.step == .email && played.screen.canGoOn)
    #expect(played.screen.form.text(.email) == "ann@example.org")
    played.send(.back, .next, .next)
    #expect(played.screen.step == .password)
    #expect(played.screen.form.text(.password) == "half a pass")
    #expect(played.screen.form.text(.name) == "Ann")
  }

  @Test("E6 · a screen that appears again has what was typed")
  func appearsAgain() {
    var played = played(at: .email)
    played.send(.typed(.email, "ann@"))
    var again = Played(played.screen)
    #expect(again.screen.step == .name && again.screen.form.text(.name) == "Ann")
    again.send(.next)
    #expect(again.screen.form.text(.email) == "ann@")
  }

  @Test("E6 · the way back ends at the first step, and there is none while the controller is asked")
  func wayBack() {
    var played = played()
    #expect(!played.screen.canGoBack)
    played.send(.back)
    #expect(played.screen.step == .name && played.newOutputs() == [])
    played = submitted()
    #expect(!played.screen.canGoBack)
    played.send(.back, .typed(.password, ""), .next)
    #expect(played.screen.step == .password && played.newOutputs() == [])
  }

  @Test("E6 · fields of other steps take nothing")
  func otherSteps() {
    var played = played(at: .email)
    played.send(.typed(.name, "Eve"), .typed(.password, "x"))
    #expect(played.screen.form.text(.name) == "Ann" && played.screen.form.text(.password) == "")
  }

  @Test("E6 · the rules of the step report at every keystroke, across fields")
  func report() {
    var played = Played(RegistrationWizard(rules))
    played.send(.typed(.name, "Annabel"), .next, .typed(.email, "ann@example.org"), .next)
    played.send(.typed(.password, "short"))
    #expect(played.screen.form[.password]?.report.satisfied == 1)
    #expect(played.screen.form[.password]?.report.total == 2)
    played.send(.typed(.password, "my name is Annabel, you know"))
    #expect(
      played.screen.form[.password]?.report.results.map(\.outcome) == [.satisfied, .unsatisfied])
    played.send(.typed(.password, long), .typed(.passwordAgain, long))
    #expect(!played.screen.canGoOn)
    played.send(.typed(.accept, FieldKind.on))
    #expect(played.screen.canGoOn)
    played.send(.typed(.password, long + "!"))
    #expect(!played.screen.canGoOn)
  }

  // MARK: E7

  @Test("E7 · success is the end, and login comes next")
  func success() {
    var played = submitted()
    played.answer(.registered(.success(ann)))
    #expect(played.newOutputs() == [.loading(false), .outcome(.success(ann))])
    #expect(played.screen.isOver && played.screen.isLocked)
  }

  @Test("E7 · passwords that differ are both cleared")
  func mismatch() {
    var played = played(at: .password)
    played.send(.typed(.password, long), .typed(.passwordAgain, long + "x"), .next)
    #expect(played.newOutputs().last == .outcome(.mismatch))
    #expect(played.screen.form.text(.password) == "")
    #expect(played.screen.form.text(.passwordAgain) == "")
    #expect(played.work == [])
    played.send(.typed(.password, "x"))
    #expect(played.screen.outcome == nil)
  }

  @Test("E7 · a field that is empty", arguments: RegistrationWizard.Step.allCases)
  func empty(step: RegistrationWizard.Step) {
    var played = played(at: step)
    played.send(.next)
    #expect(played.newOutputs() == [.outcome(.empty)])
    #expect(played.screen.step == step)
    played = self.played(at: .password)
    played.send(.typed(.password, long), .next)
    #expect(played.newOutputs() == [.outcome(.empty)])
  }

  @Test("E7 · an address that is taken leads back to where another is typed")
  func taken() {
    var played = submitted()
    let refusal = Refusal("taken", field: "email", message: "This address has an account.")
    played.answer(.registered(.failure(.refused(refusal))))
    #expect(
      played.newOutputs() == [.loading(false), .step(.email), .outcome(.taken(refusal))])
    #expect(played.screen.outcome == .taken(refusal))
    #expect(played.screen.form.text(.email) == "")
  }

  @Test(
    "E7 · an internal error keeps everything, so that Enter tries again",
    arguments: ["internal", "storageFailed", "storageFull"])
  func internalError(code: String) {
    var played = submitted()
    let refusal = Refusal(code, message: "Something went wrong.", hint: "Try again.")
    played.answer(.registered(.failure(.refused(refusal))))
    #expect(played.screen.outcome == .internalError(refusal))
    #expect(played.screen.outcome?.text == "Something went wrong. Try again.")
    played.send(.next)
    #expect(played.work.count == 2)
  }

  @Test("A9 E7 · other failures are shown where they are mended")
  func otherFailures() {
    for (failure, step): (ScreenFailure, RegistrationWizard.Step) in [
      (.network("Nobody answers."), .password),
      (.refused(Refusal("codeInvalid", field: "code", message: "Mistyped.")), .password),
      (.refused(Refusal("malformed", field: "name", message: "A name is not so.")), .name),
      (.refused(Refusal("tooShort", field: "password", message: "Longer.")), .password),
    ] {
      var played = submitted()
      played.answer(.registered(.failure(failure)))
      #expect(played.screen.step == step)
      #expect(played.screen.outcome == .failed(failure))
      #expect(!played.screen.isLocked)
    }
  }

  // MARK: With a service

  private struct Service: RegistrationService {
    func register(_ person: NewPerson) async throws(ScreenFailure) -> Registered {
      guard person.email == ann.email else {
        throw .refused(Refusal("taken", field: "email", message: "Taken."))
      }
      return Registered(name: person.name, email: person.email, role: "owner")
    }

    /// The address that is taken already at the e-mail step; that of Bob is taken later.
    func answer(_ question: String, about text: String) async throws(ScreenFailure) -> Bool {
      guard question == "emailFree" else { throw .network("an unknown question") }
      return text != "eve@example.org"
    }
  }

  private let clock = ManualClock()

  private func driver() -> ScreenDriver<RegistrationWizard> {
    RegistrationWizard(rules).driver(Service(), clock: clock)
  }

  /// Goes on from the e-mail step while the address is asked about, then lets the answer come.
  private func submit(_ email: String, _ harness: FlowHarness<RegistrationWizard>) async {
    await harness.send(.typed(.email, email))
    await harness.send(.next)
    await clock.waitForSleepers()
    clock.advance(by: AsyncRuleEvaluator.pause)
  }

  @Test("E6 · a holder of a code is told at the e-mail step that the address is taken")
  func takenAtTheEmailStep() async {
    await withRunning(driver()) { harness in
      await harness.send(.typed(.name, "Ann"))
      await harness.send(.next)
      await submit("eve@example.org", harness)
      await harness.wait { $0.outputs.contains(.loading(false)) }
      #expect(harness.screen?.step == .email)
      #expect(
        harness.screen?.form[.email]?.message
          == "This e-mail address has an account already: log in, or choose another.")
      await submit(ann.email, harness)
      await harness.wait { $0.outputs.contains(.step(.password)) }
      #expect(harness.screen?.step == .password)
    }
  }

  @Test("E6 E7 · the wizard with its driver: an address that is taken meanwhile, then another")
  func wholeRegistration() async {
    await withRunning(driver()) { harness in
      await harness.send(.typed(.name, "Ann"))
      await harness.send(.next)
      for email in ["bob@example.org", ann.email] {
        await submit(email, harness)
        await harness.wait { $0.outputs.contains(.step(.password)) }
        await harness.send(.typed(.password, long))
        await harness.send(.typed(.passwordAgain, long))
        await harness.send(.typed(.accept, FieldKind.on))
        await harness.send(.next)
        await harness.wait { $0.outputs.contains(.loading(false)) }
      }
      #expect(harness.screen?.outcome == .success(ann))
    }
  }
}
