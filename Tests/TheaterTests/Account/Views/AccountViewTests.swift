import AccountFlows
import Testing
import Validation

@testable import theater

private let long = "four lions in a cinema"

@Suite("screens in a terminal")
struct AccountViewTests {
  private func registering(_ given: [FieldName: String] = [:])
    -> ViewHarness<RegistrationView>
  {
    ViewHarness(
      RegistrationView(given: given, style: plain, texts: english), RegistrationWizard(.standard))
  }

  @Test(
    "E6 E6b C7 · the wizard shows step, title, rules and progress at every key, and hides the password"
  )
  func wizard() {
    var harness = registering()
    #expect(harness.text.contains("step 1 of 3"))
    #expect(harness.text.contains("What is your name?"))
    harness.type("Ann")
    #expect(harness.text.contains("name") && harness.text.contains("Ann_"))
    harness.press(.enter)
    harness.type("ann@")
    #expect(harness.text.contains("step 2 of 3") && harness.text.contains("0 of 1"))
    #expect(harness.text.contains("Enter your e-mail"))
    #expect(harness.text.contains("· an address like anna@example.org"))
    harness.press(.enter)
    #expect(harness.text.contains("✗ Type the e-mail address like anna@example.org."))
    harness.type("example.org")
    #expect(harness.text.contains("1 of 1"))
    harness.press(.enter)
    harness.type(long)
    #expect(harness.text.contains("step 3 of 3") && !harness.text.contains("lions"))
    #expect(harness.text.contains("Choose a password"))
    #expect(harness.text.contains("••••_"))
    harness.press(.reveal)
    #expect(harness.text.contains(long))
    harness.press(.enter)
    harness.type(long)
    harness.press(.enter, .enter)
    #expect(harness.text.contains("[ ] I accept") && harness.text.contains("✗ Accept this"))
    harness.press(.text(" "))
    #expect(harness.text.contains("[x] I accept"))
    harness.press(.enter)
    #expect(harness.text.contains("Registering…"))
    #expect(
      harness.work == [
        .register(NewPerson(name: "Ann", email: "ann@example.org", password: long))
      ])
  }

  @Test("E6 · Escape leads to the previous field or step, and erases nothing")
  func back() {
    var harness = registering()
    harness.type("Ann")
    harness.press(.enter)
    harness.press(.back)
    #expect(harness.screen.step == .name && harness.text.contains("Ann_"))
    harness.type("a")
    harness.press(.enter)
    #expect(harness.screen.form.text(.name) == "Anna")
    harness.type("bob@example.org")
    harness.press(.enter)
    harness.type(long)
    harness.press(.next)
    harness.type("x")
    harness.press(.back)
    #expect(harness.screen.step == .password)
    harness.type("!")
    #expect(harness.screen.form.text(.password) == long + "!")
    harness.press(.back)
    #expect(harness.screen.step == .email)
    #expect(harness.screen.form.text(.email) == "bob@example.org")
    harness.press(.enter)
    #expect(harness.screen.form.text(.password) == long + "!")
  }

  @Test("E6 · an empty address is said to be missing, not to have an account")
  func emptyAddress() {
    let rules = RuleSet(
      "of this test",
      fields: [
        FieldDeclaration(.name, rules: [Rule(.notEmpty)]),
        FieldDeclaration(
          .email, label: "e-mail address",
          rules: [
            Rule(.email), Rule(.asked("emailFree"), message: "This one has an account already."),
          ]),
      ])
    var harness = ViewHarness(
      RegistrationView(given: [.name: "Ann"], style: plain, texts: english),
      RegistrationWizard(rules))
    #expect(harness.screen.step == .email)
    harness.press(.enter)
    #expect(harness.text.contains("✗ Type the e-mail address"), "\(harness.text)")
    #expect(!harness.text.contains("has an account already"))
    harness.type("ann@")
    harness.press(.enter)
    #expect(harness.text.contains("✗ ") && !harness.text.contains("has an account already"))
  }

  @Test("E6 C7 · Enter shows at once what is wrong with a password, before its repetition")
  func brokenPassword() {
    var harness = registering([.name: "Ann", .email: "ann@example.org"])
    harness.type("short")
    harness.press(.enter)
    #expect(harness.text.contains("✗ ") && harness.text.contains("15 characters"))
    harness.press(.eraseAll)
    harness.type(long)
    #expect(harness.screen.form.text(.password) == long)
    #expect(harness.screen.form.text(.passwordAgain) == "")
    harness.press(.enter)
    harness.type(long)
    harness.press(.enter, .enter)
    #expect(harness.text.contains("[ ] I accept") && harness.text.contains("✗ Accept this"))
    harness.press(.text(" "))
    #expect(harness.text.contains("[x] I accept"))
    harness.press(.enter)
    #expect(harness.text.contains("Registering…"))
  }

  @Test("E7 · different passwords clear both fields and focus the first")
  func mismatch() {
    var harness = registering([.name: "Ann", .email: "ann@example.org"])
    #expect(harness.screen.step == .password)
    harness.type(long)
    harness.press(.enter)
    harness.type("other")
    harness.press(.enter)
    #expect(harness.text.contains("✗ The two passwords differ."))
    harness.type("x")
    #expect(harness.screen.form.text(.password) == "x")
  }

  @Test("E7 · after a taken address the wizard continues at the e-mail step")
  func taken() {
    var harness = registering([.name: "Ann", .email: "ann@example.org"])
    for _ in 1...2 {
      harness.type(long)
      harness.press(.enter)
      harness.type(long)
      harness.press(.enter)
      if !harness.screen.form.isOn(.accept) { harness.press(.text(" ")) }
      harness.press(.enter)
      let refusal = Refusal("taken", field: "email", message: "Taken.")
      harness.receive(.answer(.registered(.failure(.refused(refusal)))))
      #expect(harness.screen.step == .email && harness.text.contains("✗ Taken."))
      harness.type("eve@example.org")
      harness.press(.enter)
    }
    #expect(harness.work.count == 2)
  }

  @Test("C7 · the reveal key does nothing without a secret field")
  func reveal() {
    var harness = registering()
    harness.press(.reveal)
    harness.type("Ann")
    harness.press(.enter)
    harness.type("ann@example.org")
    harness.press(.enter)
    harness.type("sesame")
    #expect(!harness.text.contains("sesame"))
  }

  @Test("E6 · a given answer is used once; a refused one is typed")
  func given() {
    var harness = registering([.name: "Ann", .email: "nonsense"])
    #expect(harness.screen.step == .email)
    #expect(harness.text.contains("nonsense_"))
    harness.press(.eraseAll)
    harness.type("ann@example.org")
    harness.press(.enter, .back)
    #expect(harness.screen.step == .email)
    #expect(harness.screen.form.text(.email) == "ann@example.org")
  }

  @Test("E7 · a refused code ends the wizard with its message")
  func code() throws {
    var harness = registering([.name: "Ann", .email: "ann@example.org"])
    harness.type(long)
    harness.press(.enter)
    harness.type(long)
    harness.press(.enter)
    #expect(harness.view.exitError(for: harness.screen) == nil)
    let refusal = Refusal("codeInvalid", field: "code", message: "Mistyped.", hint: "Check it.")
    harness.receive(.answer(.registered(.failure(.refused(refusal)))))
    let ending = try #require(harness.view.exitError(for: harness.screen))
    #expect(ending.code == .failed && ending.text == "Mistyped.\n  Check it.")
  }

  @Test(
    "A1 A4 A6 A11 N-A5 · the login form hides the password and shows progress, error and the form again"
  )
  func login() {
    var harness = ViewHarness(
      LoginView(hasEmail: false, style: plain, texts: english), LoginScreen())
    harness.type("ann@example.org")
    harness.press(.enter)
    harness.type("secret")
    #expect(harness.text.contains("••••••_") && !harness.text.contains("secret"))
    harness.press(.enter)
    #expect(harness.text.contains("Logging in…") && !harness.text.contains("_"))
    let refusal = Refusal("wrongCredentials", message: "Wrong.", hint: "Type both again.")
    harness.receive(.answer(.loggedIn(.failure(.refused(refusal)))))
    #expect(harness.text.contains("✗ Wrong. Type both again.") && harness.text.contains("•_"))
    harness.press(.enter)
    harness.receive(.answer(.loggedIn(.success(nil))))
    #expect(harness.text.contains("second factor"))
    harness.type("123456")
    #expect(harness.work.count == 3)
  }

  @Test("A1 · with a known address the password has the focus")
  func knownAddress() {
    var harness = ViewHarness(
      LoginView(hasEmail: true, style: plain, texts: english), LoginScreen(email: "ann@example.org")
    )
    harness.type("x")
    #expect(harness.screen.canSubmit)
  }

  @Test("E6 · control characters are not shown")
  func harmless() {
    #expect(ANSIStyle.visible("a\u{1B}[2Jb\u{9B}c\u{202E}d") == "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d")
    #expect(ANSIStyle.visible("Ünal 👨‍👩‍👧") == "Ünal 👨‍👩‍👧")
  }
}
