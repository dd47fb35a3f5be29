import AccountFlows
import Testing

private let wrong = ScreenFailure.refused(
  Refusal("codeWrong", field: "code", message: "The code is wrong.", hint: "Type it again."))
private let away = ScreenFailure.network("The connection broke.")

@Suite("the one-time code screen, event by event")
struct CodeScreenTests {
  private func played(
    length: Int = 4, wait: Int = 0, submission: CodeScreen.Submission = .automatic
  ) -> Played<CodeScreen> {
    var played = Played(
      CodeScreen(CodeTicket(length: length, wait: wait), submission: submission))
    _ = played.newOutputs()
    _ = played.newWork()
    return played
  }

  // MARK: D3

  @Test("D3 · a code of exactly the expected length submits itself, a shorter or longer one not")
  func submitsItself() {
    var played = played()
    played.send(.typed("1"), .typed("12"), .typed("123"), .typed("12345"))
    #expect(played.newWork() == [])
    played.send(.typed("1234"))
    #expect(played.newWork() == [.verify("1234")])
  }

  @Test("D3 · a pasted code may hold spaces")
  func pasted() {
    var played = played(length: 6)
    played.send(.typed(" 123 456\t"))
    #expect(played.newWork() == [.verify("123456")])
    #expect(played.screen.code == "123456")
  }

  @Test("D3 · with a button nothing is submitted before it is pressed on a whole code")
  func button() {
    var played = played(submission: .button)
    played.send(.submit, .typed("123"), .submit, .typed("1234"))
    #expect(played.newWork() == [])
    #expect(played.screen.canSubmit)
    played.send(.submit)
    #expect(played.newWork() == [.verify("1234")])
    #expect(!played.screen.canSubmit)
  }

  @Test("D3 · one submission at a time")
  func oneAtATime() {
    var played = played()
    played.send(.typed("1234"), .typed("1234"), .typed("5678"), .submit, .sendAgain)
    #expect(played.newWork() == [.verify("1234")])
    played.answer(.verified(.failure(away)))
    // The same text again is no keystroke, but Enter tries what could not be asked.
    played.send(.typed("1234"))
    #expect(played.newWork() == [])
    played.send(.submit)
    #expect(played.newWork() == [.verify("1234")])
  }

  // MARK: D2, D4, D5

  @Test(
    "D2 · a right code ends the screen with its next step",
    arguments: [Authorization.done, .personalDataNeeded])
  func authorized(authorization: Authorization) {
    var played = played()
    played.send(.typed("1234"))
    played.answer(.verified(.success(authorization)))
    #expect(
      played.newOutputs() == [.loading(true), .loading(false), .authorized(authorization)])
    #expect(played.screen.isOver)
    played.send(.typed("5678"), .sendAgain, .submit)
    #expect(played.newOutputs() == [])
  }

  @Test("D4 · reports the error of every request, and continues after each")
  func errors() {
    var played = played()
    for _ in 1...3 {
      played.send(.typed("1234"))
      played.answer(.verified(.failure(wrong)))
      played.send(.sendAgain)
      played.answer(.sent(.failure(away)))
    }
    let errors = played.newOutputs().compactMap { output -> ScreenFailure? in
      if case .failure(let failure) = output { failure } else { nil }
    }
    #expect(errors == [wrong, away, wrong, away, wrong, away])
    played.send(.typed("1234"))
    played.answer(.verified(.success(.done)))
    #expect(played.newOutputs().last == .authorized(.done))
  }

  @Test("D4 · an error stays until the next attempt")
  func errorIsHidden() {
    var played = played()
    played.send(.typed("1234"))
    played.answer(.verified(.failure(wrong)))
    #expect(played.screen.failure == wrong)
    played.send(.typed("1"))
    #expect(played.screen.failure == nil)
  }

  @Test("D5 · loading is true from a submission until its answer, the field locked meanwhile")
  func loadingOfSubmission() {
    var played = played()
    played.send(.typed("1234"))
    #expect(played.newOutputs() == [.loading(true)])
    #expect(played.screen.isLocked)
    played.send(.typed("9"))
    #expect(played.screen.code == "1234")
    played.answer(.verified(.failure(wrong)))
    #expect(played.newOutputs() == [.loading(false), .failure(wrong)])
    #expect(!played.screen.isLocked)
    #expect(played.screen.code == "")
  }

  @Test("D5 · loading is true from a request for a new code until its answer")
  func loadingOfRequest() {
    var played = played()
    played.send(.typed("12"), .sendAgain)
    #expect(played.newOutputs() == [.loading(true), .countdownIsRunning(false), .countdown(0)])
    #expect(played.screen.isLocked && !played.screen.canSendAgain)
    played.send(.typed("1234"))
    #expect(played.newWork() == [.sendAgain])
    played.answer(.sent(.success(CodeTicket(length: 4, wait: 0))))
    #expect(played.newOutputs() == [.loading(false), .newCodeRequested])
    #expect(played.screen.code == "")
    played.send(.typed("1234"))
    #expect(played.newWork() == [.verify("1234")])
  }

  @Test("D8 · shows the remaining tries after a wrong code, until another code is sent")
  func triesLeft() {
    var played = played()
    #expect(played.screen.triesLeft == nil)
    for left in [4, 3] {
      played.send(.typed("1234"))
      let refusal = Refusal("codeWrong", message: "The code is wrong.", triesLeft: left)
      played.answer(.verified(.failure(.refused(refusal))))
      #expect(played.screen.triesLeft == left)
      // Typing hides the error, not what is left.
      played.send(.typed("1"))
      #expect(played.screen.failure == nil && played.screen.triesLeft == left)
    }
    played.send(.sendAgain)
    played.answer(.sent(.success(CodeTicket(length: 4, wait: 0))))
    #expect(played.screen.triesLeft == nil)
  }

  @Test("D1 · submits a code with the request of the newest ticket")
  func request() {
    var played = Played(CodeScreen(CodeTicket(request: "r1", length: 4, wait: 0)))
    played.send(.typed("1234"))
    played.answer(.verified(.failure(wrong)))
    played.send(.sendAgain)
    played.answer(.sent(.success(CodeTicket(request: "r2", length: 4, wait: 0))))
    played.send(.typed("1234"))
    #expect(
      played.newWork() == [
        .verify("1234", request: "r1"), .sendAgain, .verify("1234", request: "r2"),
      ])
  }

  @Test("D6 · the code of an authenticator app has no countdown and cannot be sent again")
  func ofAnApp() {
    var played = Played(CodeScreen(CodeTicket(wait: nil)))
    #expect(played.newOutputs() == [] && played.newWork() == [])
    played.send(.sendAgain)
    #expect(!played.screen.canSendAgain && played.newWork() == [])
    played.send(.typed("123456"))
    #expect(played.newWork() == [.verify("123456")])
  }

  // MARK: D6

  @Test("D6 · a wrong code does not extend the countdown")
  func wrongCodeDoesNotExtend() {
    var played = Played(CodeScreen(CodeTicket(length: 4, wait: 30)))
    #expect(played.newWork() == [.tick(at: .seconds(1))])
    played.now = .milliseconds(700)
    played.send(.typed("1234"))
    played.answer(.verified(.failure(wrong)))
    #expect(played.newWork() == [.verify("1234")])
    #expect(played.screen.countdown == 30)
    played.now = .seconds(1)
    played.answer(.ticked)
    #expect(played.screen.countdown == 29)
    #expect(played.newWork() == [.tick(at: .seconds(2))])
  }

  @Test("D6 · a new code can be requested only after the countdown")
  func notBefore() {
    var played = Played(CodeScreen(CodeTicket(length: 4, wait: 1)))
    played.send(.sendAgain)
    #expect(played.newWork() == [.tick(at: .seconds(1))])
    #expect(!played.screen.canSendAgain)
    played.now = .seconds(1)
    played.answer(.ticked)
    #expect(played.screen.canSendAgain)
    played.send(.sendAgain)
    #expect(played.newWork() == [.sendAgain, .tick(at: .seconds(2))])
  }

  @Test("D6 · the countdown uses the wait in the controller's answer, after success and refusal")
  func serversWait() {
    var played = played(wait: 0)
    played.send(.sendAgain)
    played.answer(.sent(.success(CodeTicket(length: 4, wait: 60))))
    #expect(played.screen.countdown == 60)
    #expect(played.newOutputs().suffix(2) == [.countdownIsRunning(true), .countdown(60)])

    played = self.played(wait: 0)
    played.send(.sendAgain)
    let early = ScreenFailure.refused(
      Refusal("tooSoon", message: "A code was sent just now.", retryAfter: 12))
    played.answer(.sent(.failure(early)))
    #expect(played.screen.countdown == 12)
    #expect(played.screen.failure == early)
  }

  @Test("D6 · a countdown that is started anew never has two tickers")
  func oneTicker() {
    var played = Played(CodeScreen(CodeTicket(length: 4, wait: 1)))
    played.now = .seconds(1)
    played.answer(.ticked)
    _ = played.newWork()
    played.send(.sendAgain)
    #expect(played.newWork() == [.sendAgain, .tick(at: .seconds(2))])
    played.now = .milliseconds(1500)
    played.answer(.sent(.success(CodeTicket(length: 4, wait: 60))))
    #expect(played.newWork() == [])
    played.now = .seconds(2)
    played.answer(.ticked)
    #expect(played.screen.countdown == 60)
    #expect(played.newWork() == [.tick(at: .milliseconds(2500))])
  }

  @Test("D6 · after a sleep of the machine the countdown shows what is left, not what was missed")
  func sleptMachine() {
    var played = Played(CodeScreen(CodeTicket(length: 4, wait: 30)))
    played.now = .seconds(3600)
    played.answer(.ticked)
    #expect(played.newOutputs().suffix(2) == [.countdown(0), .countdownIsRunning(false)])
  }

  @Test("D6 · limits a wait or code length that is out of range", arguments: [Int.min, .max])
  func extremes(number: Int) {
    let ticket = CodeTicket(length: number, wait: number)
    #expect((1...32).contains(ticket.length) && (0...86_400).contains(ticket.wait ?? -1))
    var played = played()
    played.send(.sendAgain)
    played.answer(
      .sent(.failure(.refused(Refusal("tooSoon", message: "Later.", retryAfter: number)))))
    #expect((0...86_400).contains(played.screen.countdown))
  }
}
