import Devices

extension CodeScreen {
  /// The screen with a service to ask and a clock to count by, for a code that nobody sends again.
  package func driver(
    service: some CodeService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<CodeScreen> {
    driver(service, clock) { nil }
  }

  /// The screen for a code that was sent to `contact`, and is sent there again.
  package func driver(
    service: some CodeService & CodeRequestService, contact: String,
    clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<CodeScreen> {
    driver(service, clock) {
      .sent(
        await Result(of: { () throws(ScreenFailure) in
          try await service.requestCode(for: contact)
        }))
    }
  }

  private func driver(
    _ service: some CodeService, _ clock: some TheaterClock,
    sendAgain: @escaping @Sendable () async -> Answer?
  ) -> ScreenDriver<CodeScreen> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .verify(let code, let request):
        .verified(
          await Result(of: { () throws(ScreenFailure) in
            try await service.verify(code, request: request)
          }))
      case .sendAgain: await sendAgain()
      case .tick(let deadline):
        (try? await clock.sleep(until: deadline)) == nil ? nil : .ticked
      }
    }
  }
}
