import AccountFlows
import Testing
import Validation

private let ann = LoggedInPerson(name: "Ann", email: "ann@example.org")
private let refused = ScreenFailure.refused(
  Refusal(
    "wrongCredentials", message: "The e-mail address or the password is wrong.",
    hint: "Type both again."))

@Suite("the login screen, event by event")
struct LoginScreenTests {
  private func played(email: String = "") -> Played<LoginScreen> {
    Played(LoginScreen(email: email))
  }

  private func filled() -> Played<LoginScreen> {
    var played = played()
    played.send(.typed(.email, "ann@example.org"), .typed(.password, "x"))
    _ = played.newOutputs()
    return played
  }

  @Test("A1 · at first the button is disabled, nothing is in progress, and there is no error")
  func atFirst() {
    let screen = played().screen
    #expect(!screen.canSubmit && !screen.isLoading && screen.failure == nil)
    #expect(screen.form[.password]?.declaration.isSecret == true)
    #expect(screen.form[.email]?.declaration.isSecret == false)
    #expect(screen.form[.email]?.display == .pristine)
  }

  @Test(
    "A12 · leads to registration, to a new password and to login by code",
    arguments: LoginScreen.Exit.allCases)
  func exits(_ exit: LoginScreen.Exit) {
    var played = played()
    played.send(.leave(for: exit))
    #expect(played.newOutputs() == [.left(for: exit)])
    #expect(played.screen.exit == exit && played.screen.isOver && !played.screen.canSubmit)
  }

  @Test("A12 · no other screen opens while the login is being checked")
  func noExitWhileLoading() {
    var played = filled()
    played.send(.submit, .leave(for: .registration))
    #expect(played.screen.exit == nil && !played.screen.isOver)
  }

  @Test("A12 · its fields are empty each time it appears, also after another screen")
  func emptyAgain() {
    var played = filled()
    played.send(.submit)
    played.answer(.loggedIn(.failure(refused)))
    played.send(.leave(for: .forgottenPassword))
    played.receive(.appeared)
    #expect(played.screen.form.text(.email) == "" && played.screen.form.text(.password) == "")
    #expect(played.screen.failure == nil && played.screen.exit == nil && !played.screen.isOver)
    #expect(played.screen.form[.email]?.display == .pristine)
  }

  @Test("A12 · a field's error disappears while it is edited, and returns when it loses the focus")
  func markGoes() {
    var played = played()
    played.send(.typed(.email, "ann@"), .left(.email))
    #expect(played.screen.form[.email]?.display == .invalidShown)
    played.send(.typed(.email, "ann@e"))
    #expect(played.screen.form[.email]?.display == .invalidHidden)
    played.send(.left(.email))
    #expect(played.screen.form[.email]?.display == .invalidShown)
  }

  @Test("A3 B7 · the button follows both fields at every keystroke")
  func buttonFollows() {
    var played = played()
    for text in ["a", "a@", "a@b", "a@b.", "a@b.c"] { played.send(.typed(.email, text)) }
    #expect(!played.screen.canSubmit)
    #expect(played.screen.form[.email]?.display == .valid)
    played.send(.typed(.password, "x"))
    #expect(played.screen.canSubmit)
    played.send(.typed(.email, "a@b."))
    #expect(!played.screen.canSubmit)
    played.send(.typed(.email, "a@b.c"), .typed(.password, ""))
    #expect(!played.screen.canSubmit)
    #expect(
      played.newOutputs() == [true, false, true, false].map { LoginScreen.Output.canSubmit($0) })
  }

  @Test(
    "A3 · login requires only that the password is not empty",
    arguments: ["x", "password", " ", "🗝", String(repeating: "long ", count: 50)])
  func noCompositionRule(password: String) {
    var played = played(email: "ann@example.org")
    played.send(.typed(.password, password))
    #expect(played.screen.canSubmit)
  }

  @Test("A4 · submitting locks everything, shows progress and hides the old error")
  func submitting() {
    var played = filled()
    played.send(.submit)
    played.answer(.loggedIn(.failure(refused)))
    #expect(played.screen.failure == refused)
    _ = (played.newOutputs(), played.newWork())

    played.send(.submit)
    #expect(played.newOutputs() == [.canSubmit(false), .loading(true)])
    #expect(played.screen.isLoading && played.screen.isLocked && played.screen.failure == nil)
    #expect(
      played.newWork() == [.logIn(Credentials(email: "ann@example.org", password: "x"))])
    // Input during the request is ignored.
    played.send(.typed(.email, "eve@example.org"), .typed(.password, ""), .submit, .back)
    #expect(played.newWork() == [] && played.newOutputs() == [])
    #expect(played.screen.form.text(.email) == "ann@example.org")
  }

  @Test("A5 · success ends the progress and opens the next screen")
  func success() {
    var played = filled()
    played.send(.submit)
    played.answer(.loggedIn(.success(ann)))
    #expect(played.newOutputs().suffix(2) == [.loading(false), .loggedIn(ann)])
    #expect(played.screen.isOver && !played.screen.isLoading)
  }

  @Test(
    "A6 A9 N-A5 · after a failure the message is shown and the button follows the rules again",
    arguments: [
      refused, .network("The connection broke."), .notKept("The disk is full."),
      .malformed(field: "email", message: "Type the e-mail address."),
    ])
  func failure(failure: ScreenFailure) {
    var played = filled()
    played.send(.submit)
    _ = played.newOutputs()
    played.answer(.loggedIn(.failure(failure)))
    #expect(
      played.newOutputs() == [.canSubmit(true), .loading(false), .failure(failure)])
    #expect(played.screen.failure == failure && !failure.text.isEmpty)
    played.send(.typed(.password, ""))
    #expect(!played.screen.canSubmit)
    played.send(.typed(.password, "y"), .submit)
    played.answer(.loggedIn(.success(ann)))
    #expect(played.screen.isOver)
  }

  @Test("A3 · Enter on an invalid form sends nothing and shows the missing fields")
  func enterOnInvalid() {
    var played = played()
    played.send(.typed(.email, "ann"), .submit)
    #expect(played.newWork() == [])
    #expect(played.screen.form[.email]?.display == .invalidShown)
    #expect(played.screen.form[.password]?.display == .invalidShown)
  }

  // MARK: The second factor

  private func atCode() -> Played<LoginScreen> {
    var played = filled()
    played.send(.submit)
    played.answer(.loggedIn(.success(nil)))
    _ = played.newWork()
    return played
  }

  @Test("D3 · an account with a second factor asks for its code, which submits itself")
  func secondFactor() {
    var played = atCode()
    #expect(played.newOutputs().last == .codeNeeded)
    #expect(played.screen.step == .secondFactor && !played.screen.canSubmit)
    for text in ["1", "12", "123", "1234", "12345", "123 456"] { played.send(.code(text)) }
    #expect(
      played.newWork() == [
        .logIn(Credentials(email: "ann@example.org", password: "x", code: "123456"))
      ])
    played.answer(.loggedIn(.success(ann)))
    #expect(played.newOutputs().last == .loggedIn(ann))
  }

  @Test("A6 · a wrong code of the second factor can be typed again")
  func wrongCode() {
    var played = atCode()
    played.send(.code("123456"))
    let wrong = ScreenFailure.refused(Refusal("codeWrong", message: "The code is wrong."))
    played.answer(.loggedIn(.failure(wrong)))
    #expect(played.screen.failure == wrong && played.screen.step == .secondFactor)
    #expect(played.screen.code == "")
    played.send(.code("123456"))
    #expect(played.newWork().count == 2)
  }

  @Test("D3 · input other than six digits, such as a recovery code, is submitted with the button")
  func recoveryCode() {
    var played = atCode()
    played.send(.submit, .code("abcd-"), .code("abcd-efgh"))
    #expect(played.newWork() == [])
    #expect(played.screen.canSubmit)
    played.send(.submit)
    #expect(
      played.newWork() == [
        .logIn(Credentials(email: "ann@example.org", password: "x", code: "abcd-efgh"))
      ])
  }

  @Test("A6 · Escape leads from the code back to the password")
  func back() {
    var played = atCode()
    played.send(.code("1"), .back)
    #expect(played.screen.step == .password && played.screen.code == "")
    #expect(played.screen.canSubmit)
  }
}
