import Devices
import Validation

extension RegistrationWizard {
  /// The wizard with a service that makes accounts and answers what rules ask.
  package func driver(
    _ service: some RegistrationService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<RegistrationWizard> {
    let desk = AsyncRuleEvaluator(clock: clock) { (question, text) async throws(ScreenFailure) in
      try await service.answer(question, about: text)
    }
    return ScreenDriver(self, clock: clock) { work in
      switch work {
      case .register(let person):
        return .registered(
          await Result(of: { () throws(ScreenFailure) in try await service.register(person) }))
      case .ask(let question):
        return await desk.answer(question).map { .answered(question.ticket, $0) }
      case .withdraw(let ticket):
        await desk.withdraw(ticket)
        return nil
      }
    }
  }
}
