import Synchronization
import TestSupport
import Testing
import Validation

@testable import AccountFlows

@Suite("AsyncRuleEvaluator", .timeLimit(.minutes(5)))
struct AsyncRuleEvaluatorTests {
  private let clock = ManualClock()
  private let asked = Asked()

  /// The texts that the service was asked about.
  private final class Asked: Sendable {
    let texts = Mutex<[String]>([])
  }

  private var service: AsyncRuleEvaluator {
    AsyncRuleEvaluator(clock: clock) { [asked] (_, text) async throws(ScreenFailure) in
      asked.texts.withLock { $0.append(text) }
      if text == "nobody" { throw .network("The connection broke.") }
      return true
    }
  }

  /// Questions about these texts, as a form asks them.
  private func questions(_ texts: String...) -> [Question] {
    var form = Form([FieldDeclaration("name", rules: [Rule(.asked("free"))])])
    return texts.flatMap { form.send(.type("name", $0)) }.compactMap {
      if case .ask(let question) = $0 { question } else { nil }
    }
  }

  @Test("C3 C8 · asks about the newest text after a pause in typing, and not before")
  func pause() async {
    let (service, questions) = (service, questions("an", "ann"))
    async let first = service.answer(questions[0])
    await clock.waitForSleepers()
    async let second = service.answer(questions[1])
    let firstAnswer = await first
    #expect(firstAnswer == nil)
    await clock.waitForSleepers()
    #expect(asked.texts.withLock { $0 } == [])
    clock.advance(by: AsyncRuleEvaluator.pause)
    let secondAnswer = await second
    #expect(secondAnswer == .success(true))
    #expect(asked.texts.withLock { $0 } == ["ann"])
  }

  @Test("C8 · does not send a withdrawn question, in either order")
  func withdrawn() async {
    let (service, questions) = (service, questions("an", "ann"))
    async let first = service.answer(questions[0])
    await clock.waitForSleepers()
    await service.withdraw(questions[0].ticket)
    let firstAnswer = await first
    #expect(firstAnswer == nil)
    await service.withdraw(questions[1].ticket)
    #expect(await service.answer(questions[1]) == nil)
    #expect(asked.texts.withLock { $0 } == [])
  }

  @Test("C8 · does not send an older question that arrives late")
  func late() async {
    let (service, questions) = (service, questions("an", "ann"))
    async let second = service.answer(questions[1])
    await clock.waitForSleepers()
    #expect(await service.answer(questions[0]) == nil)
    clock.advance(by: AsyncRuleEvaluator.pause)
    let secondAnswer = await second
    #expect(secondAnswer == .success(true))
  }

  @Test("C8 A9 · returns the failure of the service")
  func fails() async {
    let (service, questions) = (service, questions("nobody"))
    async let answer = service.answer(questions[0])
    await clock.waitForSleepers()
    clock.advance(by: AsyncRuleEvaluator.pause)
    let outcome = await answer
    #expect(outcome == .failure(.network("The connection broke.")))
  }
}
