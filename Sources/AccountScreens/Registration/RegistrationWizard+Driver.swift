import Devices

extension RegistrationWizard {
  /// The wizard with a service that makes accounts.
  package func driver(
    _ service: some RegistrationService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<RegistrationWizard> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .register(let person):
        .registered(
          await Result(of: { () throws(ScreenFailure) in try await service.register(person) }))
      }
    }
  }
}
