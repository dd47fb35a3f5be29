import Devices

extension LoginScreen {
  /// The screen with somebody who logs people in.
  package func driver(
    _ authenticator: Authenticator, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<LoginScreen> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .logIn(let credentials):
        .loggedIn(
          await Result(of: { () throws(ScreenFailure) in
            try await authenticator.logIn(credentials)
          }))
      case .requestCode(let contact):
        .codeRequested(
          await Result(of: { () throws(ScreenFailure) in
            try await authenticator.requestCode(for: contact)
          }))
      case .tick(let deadline):
        (try? await clock.sleep(until: deadline)) == nil ? nil : .ticked
      }
    }
  }
}
