import AccountFlows
import Testing
import Validation

@testable import theater

private let long = "four lions in a cinema"

@Suite("screens in a terminal")
struct AccountViewTests {
  private func registering(_ given: [FieldName: String] = [:])
    -> Sitting<RegistrationView>
  {
    Sitting(RegistrationView(given: given, paint: plain), RegistrationWizard(.standard))
  }

  @Test("E6 C7 · the wizard shows step, rules and progress at every key, and hides the password")
  func wizard() {
    var sitting = registering()
    #expect(sitting.text.contains("step 1 of 3"))
    sitting.type("Ann")
    #expect(sitting.text.contains("name") && sitting.text.contains("Ann_"))
    sitting.press(.enter)
    sitting.type("ann@")
    #expect(sitting.text.contains("step 2 of 3") && sitting.text.contains("0 of 1"))
    #expect(sitting.text.contains("· an address like anna@example.org"))
    sitting.press(.enter)
    #expect(sitting.text.contains("✗ Type the e-mail address like anna@example.org."))
    sitting.type("example.org")
    #expect(sitting.text.contains("1 of 1"))
    sitting.press(.enter)
    sitting.type(long)
    #expect(sitting.text.contains("step 3 of 3") && !sitting.text.contains("lions"))
    #expect(sitting.text.contains("••••_"))
    sitting.press(.reveal)
    #expect(sitting.text.contains(long))
    sitting.press(.enter)
    sitting.type(long)
    sitting.press(.enter)
    #expect(sitting.text.contains("Registering …"))
    #expect(
      sitting.work == [
        .register(NewPerson(name: "Ann", email: "ann@example.org", password: long))
      ])
  }

  @Test("E6 · Escape leads a step back, and from the second field to the first")
  func back() {
    var sitting = registering()
    sitting.type("Ann")
    sitting.press(.enter)
    sitting.press(.back)
    #expect(sitting.screen.step == .name)
    sitting.type("Bob")
    sitting.press(.enter)
    sitting.type("bob@example.org")
    sitting.press(.enter)
    sitting.type(long)
    sitting.press(.next)
    sitting.type("x")
    sitting.press(.back)
    #expect(sitting.screen.step == .password)
    sitting.type("!")
    #expect(sitting.screen.form.text(.password) == long + "!")
    sitting.press(.back)
    #expect(sitting.screen.step == .email && sitting.screen.form.text(.email) == "")
  }

  @Test("E7 · after passwords that differ both are empty, and the cursor is in the first")
  func mismatch() {
    var sitting = registering([.name: "Ann", .email: "ann@example.org"])
    #expect(sitting.screen.step == .password)
    sitting.type(long)
    sitting.press(.enter)
    sitting.type("other")
    sitting.press(.enter)
    #expect(sitting.text.contains("✗ The two passwords differ."))
    sitting.type("x")
    #expect(sitting.screen.form.text(.password) == "x")
  }

  @Test("E7 · after an address that is taken the wizard goes on from there, field by field")
  func taken() {
    var sitting = registering([.name: "Ann", .email: "ann@example.org"])
    for _ in 1...2 {
      sitting.type(long)
      sitting.press(.enter)
      sitting.type(long)
      sitting.press(.enter)
      let refusal = Refusal("taken", field: "email", message: "Taken.")
      sitting.take(.answer(.registered(.failure(.refused(refusal)))))
      #expect(sitting.screen.step == .email && sitting.text.contains("✗ Taken."))
      sitting.type("eve@example.org")
      sitting.press(.enter)
    }
    #expect(sitting.work.count == 2)
  }

  @Test("C7 · the key that shows the password does nothing where there is none")
  func reveal() {
    var sitting = registering()
    sitting.press(.reveal)
    sitting.type("Ann")
    sitting.press(.enter)
    sitting.type("ann@example.org")
    sitting.press(.enter)
    sitting.type("sesame")
    #expect(!sitting.text.contains("sesame"))
  }

  @Test("E6 · what is given is used once: a step that refuses it is typed")
  func given() {
    var sitting = registering([.name: "Ann", .email: "nonsense"])
    #expect(sitting.screen.step == .email)
    #expect(sitting.text.contains("nonsense_"))
    sitting.press(.eraseAll)
    sitting.type("ann@example.org")
    sitting.press(.enter, .back)
    #expect(sitting.screen.step == .email && sitting.screen.form.text(.email) == "")
  }

  @Test("E7 · a code that admits nobody ends the wizard with its message")
  func code() throws {
    var sitting = registering([.name: "Ann", .email: "ann@example.org"])
    sitting.type(long)
    sitting.press(.enter)
    sitting.type(long)
    sitting.press(.enter)
    #expect(sitting.face.ending(sitting.screen) == nil)
    let refusal = Refusal("codeInvalid", field: "code", message: "Mistyped.", hint: "Check it.")
    sitting.take(.answer(.registered(.failure(.refused(refusal)))))
    let ending = try #require(sitting.face.ending(sitting.screen))
    #expect(ending.code == .failed && ending.text == "Mistyped.\n  Check it.")
  }

  @Test("A1 A4 A6 · the login form: a hidden password, progress, an error, and the form again")
  func login() {
    var sitting = Sitting(LoginView(hasEmail: false, paint: plain), LoginScreen())
    sitting.type("ann@example.org")
    sitting.press(.enter)
    sitting.type("secret")
    #expect(sitting.text.contains("••••••_") && !sitting.text.contains("secret"))
    sitting.press(.enter)
    #expect(sitting.text.contains("Logging in …") && !sitting.text.contains("_"))
    let refusal = Refusal("wrongCredentials", message: "Wrong.", hint: "Type both again.")
    sitting.take(.answer(.loggedIn(.failure(.refused(refusal)))))
    #expect(sitting.text.contains("✗ Wrong. Type both again.") && sitting.text.contains("•_"))
    sitting.press(.enter)
    sitting.take(.answer(.loggedIn(.success(nil))))
    #expect(sitting.text.contains("second factor"))
    sitting.type("123456")
    #expect(sitting.work.count == 3)
  }

  @Test("A1 · with a known address the cursor stands in the password")
  func knownAddress() {
    var sitting = Sitting(
      LoginView(hasEmail: true, paint: plain), LoginScreen(email: "ann@example.org"))
    sitting.type("x")
    #expect(sitting.screen.canSubmit)
  }

  @Test("E6 · what a terminal would obey is not painted")
  func harmless() {
    #expect(ANSIStyle.visible("a\u{1B}[2Jb\u{9B}c\u{202E}d") == "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d")
    #expect(ANSIStyle.visible("Ünal 👨‍👩‍👧") == "Ünal 👨‍👩‍👧")
  }
}
