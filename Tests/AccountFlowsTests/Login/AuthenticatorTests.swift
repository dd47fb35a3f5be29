import AccountFlows
import Synchronization
import TestSupport
import Testing
import Validation

/// A login service with the answer of a test. Counts the logins and records the stored tokens.
private final class StubLoginService: LoginService, TokenStore {
  private let answer: @Sendable (Credentials) throws(ScreenFailure) -> LoginAnswer
  private let keepFailure: ScreenFailure?
  private let state = Mutex<(asked: Int, kept: [String])>((0, []))

  init(
    keepFailure: ScreenFailure? = nil,
    _ answer: @escaping @Sendable (Credentials) throws(ScreenFailure) -> LoginAnswer
  ) {
    self.answer = answer
    self.keepFailure = keepFailure
  }

  var asked: Int { state.withLock { $0.asked } }
  var kept: [String] { state.withLock { $0.kept } }
  var authenticator: Authenticator { Authenticator(service: self, tokens: self) }

  func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoginAnswer {
    state.withLock { $0.asked += 1 }
    return try answer(credentials)
  }

  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket {
    CodeTicket(request: "r1", wait: 30, destination: contact)
  }

  func save(_ token: SessionSecret) async throws(ScreenFailure) {
    if let keepFailure { throw keepFailure }
    state.withLock { $0.kept.append(token.text) }
  }
}

private let ann = LoggedInPerson(name: "Ann", email: "ann@example.org")
private let good = Credentials(email: "ann@example.org", password: "pass")

@Suite("Authenticator", .timeLimit(.minutes(5)))
struct AuthenticatorTests {
  @Test(
    "A7 · validates the form before it calls the service",
    arguments: [("ann", "x", "email"), ("", "x", "email"), ("ann@example.org", "", "password")])
  func formFirst(email: String, password: String, field: String) async {
    let service = StubLoginService { _ in .loggedIn(ann, SessionSecret("t")) }
    let failure = await #expect(throws: ScreenFailure.self) {
      try await service.authenticator.logIn(Credentials(email: email, password: password))
    }
    guard case .malformed(field, let message) = failure else {
      Issue.record("not malformed: \(String(describing: failure))")
      return
    }
    #expect(!message.isEmpty)
    #expect(service.asked == 0)
  }

  @Test("A7 · after success the token is stored, and the result names the person without it")
  func success() async throws {
    let service = StubLoginService { _ in .loggedIn(ann, SessionSecret("very-secret")) }
    #expect(try await service.authenticator.logIn(good) == ann)
    #expect(service.kept == ["very-secret"])
  }

  @Test(
    "A7 A9 · tells a broken connection, a refusal and a full disk apart, and stores nothing",
    arguments: [
      ScreenFailure.network("Nobody answers."),
      .refused(Refusal("wrongCredentials", message: "Wrong.")),
    ])
  func failures(failure: ScreenFailure) async {
    let service = StubLoginService { _ throws(ScreenFailure) in throw failure }
    await #expect(throws: failure) { try await service.authenticator.logIn(good) }
    #expect(service.kept == [])

    let full = StubLoginService(keepFailure: .notKept("The disk is full.")) { _ in
      .loggedIn(ann, SessionSecret("t"))
    }
    await #expect(throws: ScreenFailure.notKept("The disk is full.")) {
      try await full.authenticator.logIn(good)
    }
  }

  @Test("A7 · stores nothing while the second factor is missing")
  func secondFactor() async throws {
    let service = StubLoginService { credentials in
      credentials.code == nil ? .secondFactorNeeded : .loggedIn(ann, SessionSecret("t"))
    }
    #expect(try await service.authenticator.logIn(good) == nil)
    #expect(service.kept == [])
  }

  @Test(
    "A11 E2 N-A6 · the screen with its driver: progress, refusal, another try, second factor, login"
  )
  func wholeEvening() async {
    let service = StubLoginService { (credentials) throws(ScreenFailure) in
      guard credentials.proof == good.proof else {
        throw .refused(Refusal("wrongCredentials", message: "Wrong."))
      }
      return credentials.code == nil ? .secondFactorNeeded : .loggedIn(ann, SessionSecret("t"))
    }
    let driver = LoginScreen().driver(service.authenticator, clock: ManualClock())
    await withRunning(driver) { harness in
      await harness.send(.typed(.email, "ann@example.org"))
      await harness.send(.typed(.password, "no"))
      await harness.send(.submit)
      await harness.wait { $0.screen.failure != nil }
      await harness.send(.typed(.password, "pass"))
      await harness.send(.submit)
      await harness.waitFor(.codeNeeded)
      await harness.send(.code("123456"))
      await harness.waitFor(.loggedIn(ann))
      let progress = harness.outputs.compactMap { output -> Bool? in
        if case .loading(let isLoading) = output { isLoading } else { nil }
      }
      #expect(progress == [true, false, true, false, true, false])
      #expect(service.kept == ["t"])
    }
  }

  @Test("N-B4 · the driver of a screen is freed with its last reference, after its end and before")
  func freed() async {
    weak var ended: ScreenDriver<LoginScreen>?
    weak var unused: ScreenDriver<LoginScreen>?
    weak var cancelled: ScreenDriver<LoginScreen>?
    do {
      let service = StubLoginService { _ in .loggedIn(ann, SessionSecret("t")) }
      func driver() -> ScreenDriver<LoginScreen> {
        LoginScreen().driver(service.authenticator, clock: ManualClock())
      }
      let (first, second, third) = (driver(), driver(), driver())
      (ended, unused, cancelled) = (first, second, third)
      await first.send(.leave(for: .registration))
      _ = await first.run()
      let running = Task { _ = await third.run() }
      running.cancel()
      await running.value
    }
    #expect(ended == nil && unused == nil && cancelled == nil)
  }

  @Test("E4 A7 · a login by code takes the same steps: form, service, token store")
  func oneTimeCode() async throws {
    let service = StubLoginService { credentials in
      credentials.proof == .oneTimeCode("123456", request: "r1")
        ? .loggedIn(ann, SessionSecret("t")) : .secondFactorNeeded
    }
    await #expect(throws: ScreenFailure.self) {
      try await service.authenticator.logIn(Credentials(.oneTimeCode("", request: "r1")))
    }
    #expect(service.asked == 0)
    let right = Credentials(.oneTimeCode("123456", request: "r1"))
    #expect(try await service.authenticator.logIn(right) == ann)
    #expect(service.kept == ["t"])
  }

  @Test("A9 · neither credentials nor the secret of a session show in text or dumps")
  func redacted() {
    var text = "\(good) \(SessionSecret("very-secret")) \(String(reflecting: good))"
    dump(SessionSecret("very-secret"), to: &text)
    dump(Credentials(.oneTimeCode("pass", request: "r1")), to: &text)
    dump(NewPerson(name: "Ann", email: "a@b.c", password: "pass"), to: &text)
    #expect(!text.contains("pass") && !text.contains("very-secret"))
  }
}
