import AccountFlows
import Synchronization
import TestSupport
import Testing
import Validation

private let rules = RuleSet(
  "of these tests",
  fields: [
    FieldDeclaration(.name, rules: [Rule(.notEmpty)]),
    FieldDeclaration(
      .email, label: "e-mail address", rules: [Rule(.email), Rule(.asked("emailFree"))]),
    FieldDeclaration(.password, isSecret: true, rules: [Rule(.minLength(8))]),
    FieldDeclaration(.passwordAgain, isSecret: true, rules: [Rule(.equals(.password))]),
  ])
private let broken = ScreenFailure.network("The connection broke.")

@Suite("rules that ask the server, in the registration wizard, event by event")
struct AskedRuleTests {
  private func atEmail() -> Played<RegistrationWizard> {
    var played = Played(RegistrationWizard(rules))
    played.send(.typed(.name, "Ann"), .next)
    _ = (played.newOutputs(), played.newWork())
    return played
  }

  /// The questions in `work`, in order.
  private func asked(_ work: [RegistrationWizard.Work]) -> [Question] {
    work.compactMap { if case .ask(let question) = $0 { question } else { nil } }
  }

  private func question(_ played: inout Played<RegistrationWizard>, _ text: String) throws
    -> Question
  {
    played.send(.typed(.email, text))
    return try #require(asked(played.newWork()).last)
  }

  @Test(
    "C8 · asks the server about a text that satisfies the other rules; a yes enables the button")
  func asks() throws {
    var played = atEmail()
    played.send(.typed(.email, "ann@"))
    #expect(played.newWork() == [])
    let question = try question(&played, "ann@example.org")
    #expect(question.text == "ann@example.org" && question.ticket.question == "emailFree")
    #expect(!played.screen.canGoOn && !played.screen.isLoading)
    #expect(played.screen.form[.email]?.report.results.last?.outcome == .pending)
    played.answer(.answered(question.ticket, .success(true)))
    #expect(played.newOutputs() == [.canGoOn(true)])
  }

  @Test("C8 · withdraws the older question of a changed text, and ignores its late answer")
  func newest() throws {
    var played = atEmail()
    let first = try question(&played, "ann@example.org")
    played.send(.typed(.email, "bob@example.org"))
    let work = played.newWork()
    #expect(work.first == .withdraw(first.ticket))
    let second = try #require(asked(work).last)
    played.answer(.answered(second.ticket, .success(false)))
    played.answer(.answered(first.ticket, .success(true)))
    #expect(!played.screen.canGoOn)
    played.send(.next)
    #expect(
      played.screen.form[.email]?.message
        == "Choose another e-mail address: this one cannot be taken.")
  }

  @Test(
    "C8 E6 · Enter before the answer waits for it, then continues or shows the reason",
    arguments: [true, false])
  func waits(answer: Bool) throws {
    var played = atEmail()
    let question = try question(&played, "ann@example.org")
    played.send(.next)
    #expect(played.newOutputs() == [.loading(true)])
    #expect(played.screen.isLocked && played.screen.step == .email)
    played.send(.typed(.email, ""), .back, .next)
    #expect(played.newWork() == [] && played.screen.form.text(.email) == "ann@example.org")
    played.answer(.answered(question.ticket, .success(answer)))
    #expect(played.screen.step == (answer ? .password : .email))
    #expect(!played.screen.isLocked)
    #expect(played.screen.form[.email]?.display == (answer ? .valid : .invalidShown))
  }

  @Test("C8 A9 · shows why the server did not answer, and Enter asks again")
  func unanswered() throws {
    var played = atEmail()
    let first = try question(&played, "ann@example.org")
    played.send(.next)
    played.answer(.answered(first.ticket, .failure(broken)))
    #expect(played.screen.outcome == .failed(broken) && !played.screen.isLocked)
    #expect(played.screen.step == .email)
    played.send(.next)
    let second = try #require(asked(played.newWork()).last)
    #expect(second.ticket.number > first.ticket.number)
    played.answer(.answered(second.ticket, .success(true)))
    #expect(played.screen.step == .password)
  }

  @Test("C8 · ignores the failure of a question whose step was left")
  func left() throws {
    var played = atEmail()
    let question = try question(&played, "ann@example.org")
    played.send(.back)
    played.answer(.answered(question.ticket, .failure(broken)))
    #expect(played.screen.step == .name && played.screen.outcome == nil)
  }
}

/// A stub that records the questions, and answers yes: at once, or after 60 s of the test's clock
/// for a text that begins with "slow".
private final class StubService: RegistrationService {
  private let clock: ManualClock
  private let state = Mutex<(asked: [String], cancelled: [String])>(([], []))

  init(_ clock: ManualClock) { self.clock = clock }

  var asked: [String] { state.withLock { $0.asked } }
  var cancelled: [String] { state.withLock { $0.cancelled } }

  func register(_ person: NewPerson) async throws(ScreenFailure) -> Registered {
    Registered(name: person.name, email: person.email, role: "member")
  }

  func answer(_ question: String, about text: String) async throws(ScreenFailure) -> Bool {
    state.withLock { $0.asked.append(text) }
    guard text.hasPrefix("slow") else { return true }
    do {
      try await clock.sleep(until: clock.now() + .seconds(60))
    } catch {
      state.withLock { $0.cancelled.append(text) }
      throw .network("cancelled")
    }
    return true
  }
}

@Suite("rules that ask the server, by the clock", .timeLimit(.minutes(5)))
struct AskingTests {
  private let clock = ManualClock()

  private func atEmail(
    _ service: StubService, _ play: (inout FlowHarness<RegistrationWizard>) async throws -> Void
  ) async rethrows {
    try await withRunning(RegistrationWizard(rules).driver(service, clock: clock)) { harness in
      await harness.send(.typed(.name, "Ann"))
      await harness.send(.next)
      try await play(&harness)
    }
  }

  @Test("C8 · a newer text cancels the question under way")
  func cancelled() async {
    let service = StubService(clock)
    await atEmail(service) { harness in
      await harness.send(.typed(.email, "slow@example.org"))
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(300))
      #expect(await eventually { service.asked == ["slow@example.org"] })
      await clock.waitForSleepers()
      await harness.send(.typed(.email, "bob@example.org"))
      #expect(await eventually { service.cancelled == ["slow@example.org"] })
    }
  }

  @Test("C8 E6 · leaving the wizard cancels its question")
  func leaving() async {
    let service = StubService(clock)
    await atEmail(service) { harness in
      await harness.send(.typed(.email, "slow@example.org"))
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(300))
      #expect(await eventually { service.asked == ["slow@example.org"] })
    }
    // `withRunning` returns only when everything that the screen started has ended.
    #expect(service.cancelled == ["slow@example.org"])
  }
}
