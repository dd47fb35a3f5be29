import Devices

extension CodeScreen {
  /// The screen with a service to ask and a clock to count by.
  package func driver(
    service: some CodeService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<CodeScreen> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .verify(let code):
        .verified(await Result(of: { () throws(ScreenFailure) in try await service.verify(code) }))
      case .sendAgain:
        .sent(await Result(of: { () throws(ScreenFailure) in try await service.sendAgain() }))
      case .tick(let deadline):
        (try? await clock.sleep(until: deadline)) == nil ? nil : .ticked
      }
    }
  }
}
