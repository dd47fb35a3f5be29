import AccountFlows
import TestSupport
import Testing
import Validation

private let ann = LoggedInPerson(name: "Ann", email: "ann@example.org")
private let email = FieldDeclaration(.email, label: "e-mail address", rules: [Rule(.email)])
private let proof = Credentials.Proof.oneTimeCode("123456", request: "r1")

@Suite("the login screen with a one-time code, event by event")
struct CodeLoginScreenTests {
  /// A screen that has sent a code to Ann.
  private func atCode() -> Played<LoginScreen> {
    var played = Played(LoginScreen(byCode: CodeFlow(email, contact: ann.email)))
    #expect(played.newWork() == [.requestCode(ann.email)])
    #expect(played.screen.isLoading)
    played.answer(.codeRequested(.success(CodeTicket(request: "r1", wait: 30))))
    #expect(played.newWork() == [.tick(at: .seconds(1))])
    _ = played.newOutputs()
    return played
  }

  @Test("E4 A5 · a login by code takes the same steps as one by password")
  func logsIn() {
    var played = atCode()
    played.send(.oneTime(.code(.typed("123456"))))
    #expect(played.newWork() == [.logIn(Credentials(proof))])
    #expect(played.screen.isLocked && !played.screen.canSubmit)
    played.answer(.loggedIn(.success(ann)))
    #expect(
      played.newOutputs() == [
        .oneTime(.code(.loading(true))), .oneTime(.code(.loading(false))),
        .oneTime(.code(.authorized(.done))), .loggedIn(ann),
      ])
    #expect(played.screen.isOver)
  }

  @Test("E4 D3 · after a right code the screen asks for an account's second factor")
  func secondFactor() {
    var played = atCode()
    played.send(.oneTime(.code(.typed("123456"))))
    played.answer(.loggedIn(.success(nil)))
    #expect(played.screen.step == .secondFactor && played.newOutputs().last == .codeNeeded)
    _ = played.newWork()
    played.send(.code("654321"))
    #expect(played.newWork() == [.logIn(Credentials(proof, code: "654321"))])
    let wrong = ScreenFailure.refused(Refusal("wrongCredentials", message: "Wrong."))
    played.answer(.loggedIn(.failure(wrong)))
    #expect(played.screen.failure == wrong && played.screen.code == "")
    // Back to the one-time code, because a newer code may have been requested meanwhile.
    played.send(.back)
    #expect(played.screen.step == .oneTimeCode && !played.screen.isLocked)
    #expect(played.screen.oneTime?.code?.code == "" && played.screen.failure == nil)
    played.send(.oneTime(.code(.typed("123456"))))
    played.answer(.loggedIn(.success(ann)))
    #expect(played.screen.isOver)
  }

  @Test(
    "A6 D6 · a wrong code is reported, does not extend the countdown, and another can be requested")
  func wrongCode() {
    var played = atCode()
    played.now = .milliseconds(900)
    played.send(.oneTime(.code(.typed("000000"))))
    let wrong = ScreenFailure.refused(Refusal("codeWrong", message: "Wrong.", triesLeft: 4))
    played.answer(.loggedIn(.failure(wrong)))
    #expect(played.screen.failure == wrong && played.screen.step == .oneTimeCode)
    #expect(played.screen.oneTime?.code?.triesLeft == 4)
    #expect(played.screen.oneTime?.code?.countdown == 30)
    _ = played.newWork()
    played.now = .seconds(30)
    played.answer(.ticked)
    played.send(.oneTime(.code(.sendAgain)))
    #expect(played.newWork() == [.requestCode(ann.email), .tick(at: .seconds(31))])
    played.answer(.codeRequested(.success(CodeTicket(request: "r2", wait: 60))))
    played.send(.oneTime(.code(.typed("123456"))))
    #expect(
      played.newWork() == [.logIn(Credentials(.oneTimeCode("123456", request: "r2")))])
  }

  @Test("D1 · Escape leads back to the address; input for the password step is ignored")
  func back() {
    var played = atCode()
    played.send(.typed(.email, "eve@example.org"), .typed(.password, "x"), .submit, .code("1"))
    #expect(played.newWork() == [])
    played.send(.oneTime(.back), .oneTime(.contact(.typed("bob@example.org"))))
    #expect(played.screen.canSubmit)
    played.send(.oneTime(.contact(.submit)))
    #expect(played.newWork() == [.requestCode("bob@example.org")])
  }
}
