import Devices

extension CodeFlow {
  /// The flow with a service to ask and a clock to count by.
  package func driver(
    _ service: some CodeService & CodeRequestService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<CodeFlow> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .request(let contact):
        .requested(
          await Result(of: { () throws(ScreenFailure) in
            try await service.requestCode(for: contact)
          }))
      case .verify(let code, let request):
        .verified(
          await Result(of: { () throws(ScreenFailure) in
            try await service.verify(code, request: request)
          }))
      case .tick(let deadline):
        (try? await clock.sleep(until: deadline)) == nil ? nil : .ticked
      }
    }
  }
}
