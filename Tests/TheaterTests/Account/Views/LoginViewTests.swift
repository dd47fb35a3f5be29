import AccountFlows
import JSON
import Testing
import Validation

@testable import theater

private let ann = LoggedInPerson(name: "Ann", email: "ann@example.org")

@Suite("the login screen in a terminal")
struct LoginViewTests {
  private func harness(_ screen: LoginScreen = LoginScreen()) -> ViewHarness<LoginView> {
    ViewHarness(LoginView(style: plain, texts: english), screen)
  }

  /// The line that begins with marks and this label.
  private func line(_ label: String, in harness: ViewHarness<LoginView>) -> String {
    harness.text.split(separator: "\n").first { $0.dropFirst(3).hasPrefix(label) }.map(String.init)
      ?? ""
  }

  @Test("A3 B1 · each key evaluates both fields; the button is enabled while both are valid")
  func everyKey() {
    var harness = harness()
    #expect(harness.text.contains("( Log in )"))
    for (key, isValid) in zip("a@b.c", [false, false, false, false, true]) {
      harness.press(.text(String(key)))
      #expect(line("e-mail address", in: harness).hasPrefix(isValid ? "▸✓" : "▸ "), "at \(key)")
      #expect(line("password", in: harness).hasPrefix("  "))
      #expect(harness.text.contains("( Log in )"))
    }
    harness.press(.enter, .text("x"))
    #expect(line("e-mail address", in: harness).hasPrefix(" ✓"))
    #expect(line("password", in: harness).hasPrefix("▸✓"))
    #expect(harness.text.contains("[ Log in ]") && !harness.text.contains("( Log in )"))
    harness.press(.erase)
    #expect(line("password", in: harness).hasPrefix("▸ ") && harness.text.contains("( Log in )"))
    harness.press(.text("x"), .back, .erase)
    #expect(line("e-mail address", in: harness).hasPrefix("▸ "))
    #expect(harness.text.contains("( Log in )"))
    // Enter on the disabled button sends no request.
    harness.press(.next, .enter)
    #expect(harness.work == [])
  }

  @Test("A9 · says how to correct a terminal that sends text that is not UTF-8")
  func invalidUTF8() {
    var harness = harness()
    harness.press(.invalidUTF8)
    #expect(harness.text.contains("text that is not UTF-8; set it to UTF-8."))
    harness.press(.text("a"))
    #expect(!harness.text.contains("UTF-8"))
  }

  @Test("A5 · success ends the progress, and no field takes keys any more")
  func success() {
    var harness = harness(LoginScreen(email: "ann@example.org"))
    harness.press(.next, .text("x"), .enter)
    #expect(harness.text.contains("Logging in…"))
    harness.receive(.answer(.loggedIn(.success(ann))))
    #expect(harness.screen.person == ann)
    #expect(!harness.text.contains("Logging in…") && !harness.text.contains("Log in ]"))
    harness.type("y")
    #expect(!harness.text.contains("_") && harness.work.count == 1)
  }

  @Test(
    "a refused password is replaced by what is typed next, and kept after a fault of the network")
  func replacedPassword() {
    var harness = harness(LoginScreen(email: "ann@example.org"))
    func password() -> String { harness.screen.form.text(.password) }
    harness.press(.next)
    harness.type("wrong")
    harness.press(.enter)
    harness.receive(.answer(.loggedIn(.failure(.network("it broke")))))
    harness.type("x")
    #expect(password() == "wrongx" && !harness.text.contains("replaces"))
    let refusal = ScreenFailure.refused(Refusal("wrongCredentials", message: "It is wrong."))
    harness.press(.enter)
    harness.receive(.answer(.loggedIn(.failure(refusal))))
    #expect(line("password", in: harness).hasSuffix("_  typing replaces it"))
    #expect(harness.text.contains("ann@example.org"))
    harness.press(.reveal)
    harness.type("new")
    #expect(password() == "new" && !harness.text.contains("typing replaces it"))
    harness.press(.enter)
    harness.receive(.answer(.loggedIn(.failure(refusal))))
    harness.press(.erase)
    #expect(password().isEmpty)
    harness.type("again")
    harness.press(.enter)
    harness.receive(.answer(.loggedIn(.failure(refusal))))
    // Who goes through the fields first edits the password as it is.
    harness.press(.back, .next, .text("x"))
    #expect(password() == "againx")
  }

  @Test("A5 E8 · the main screen shows what is on and how to start each activity")
  func mainScreen() {
    let text = StatusText(width: 80, hasColour: false)
    let idle = MainScreen.text(["activity": ["status": "idle"]], text).joined(separator: "\n")
    #expect(idle.contains("Nothing is on."))
    for word in ["watch a film", "listen to music", "listen to the radio", "make popcorn"] {
      #expect(idle.contains(word))
    }
    #expect(idle.contains("watch TITLE") && idle.contains("radio STATION"))
    let film: JSON = [
      "activity": ["status": "running", "activity": "film", "itemTitle": "Night Ferry\u{1B}"]
    ]
    let lines = MainScreen.text(film, text)
    #expect(lines[1].hasPrefix("film: Night Ferry") && !lines[1].contains("\u{1B}"))
    // A status that could not be read does not hide the menu.
    #expect(MainScreen.text(nil, text).contains { $0.contains("watch a film") })
  }

  @Test(
    "A12 · the login screen greets, and a key leads to registration, a new password, a login by code",
    arguments: [
      (.register, "Ctrl-N: register", .registration),
      (.newPassword, "Ctrl-P: forgotten password", .forgottenPassword),
      (.oneTimeCode, "Ctrl-O: log in with a code", .oneTimeCode),
    ] as [(Key, String, LoginScreen.Exit)])
  func links(key: Key, help: String, exit: LoginScreen.Exit) {
    var harness = harness()
    #expect(harness.text.contains("Welcome to the home theater.") && harness.text.contains(help))
    harness.press(key)
    #expect(harness.screen.exit == exit && harness.screen.isOver)
  }

  @Test("A12 · the keys of the links do nothing while the login is being checked")
  func noLinkWhileLoading() {
    var harness = harness(LoginScreen(email: "ann@example.org"))
    harness.press(.next, .text("x"), .enter, .register)
    #expect(harness.screen.exit == nil && harness.text.contains("Logging in…"))
  }

  @Test("A12 · the fields are empty each time the screen appears, without error and mark")
  func emptyAgain() {
    var harness = harness()
    harness.type("ann@")
    harness.press(.enter)
    harness.type("secret")
    harness.press(.register)
    harness.receive(.appeared)
    #expect(!harness.text.contains("ann@") && !harness.text.contains("•"))
    #expect(!harness.text.contains("Type the e-mail address") && !harness.screen.isOver)
  }

  @Test("A12 B6 · a field's mark goes with the first edit, and comes back when the field is left")
  func markGoes() {
    let mark = "Type the e-mail address like anna@example.org."
    var harness = harness()
    harness.type("ann@")
    #expect(!harness.text.contains(mark))
    harness.press(.enter)
    #expect(line("e-mail address", in: harness).hasSuffix(mark))
    harness.press(.back, .text("e"))
    #expect(!harness.text.contains(mark))
    harness.press(.next)
    #expect(line("e-mail address", in: harness).hasSuffix(mark))
  }

  @Test("A12 · Escape leaves a login by code for the screen before, from its address alone")
  func leaveCode() {
    let declaration = FieldDeclaration(.email, label: "e-mail address", rules: [Rule(.email)])
    let view = LoginView(isLeavable: true, style: plain, texts: english)
    var harness = ViewHarness(view, LoginScreen(byCode: CodeFlow(declaration)))
    #expect(harness.view.canLeave(harness.screen) && harness.text.contains("Esc: back"))
    harness.type("ann@example.org")
    harness.press(.enter)
    harness.receive(.answer(.codeRequested(.success(CodeTicket(request: "r1", wait: 30)))))
    #expect(!harness.view.canLeave(harness.screen))
    let password = LoginScreen()
    #expect(!harness.view.canLeave(password))
    #expect(!LoginView(style: plain, texts: english).canLeave(harness.screen))
  }
}
