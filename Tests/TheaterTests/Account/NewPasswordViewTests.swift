import AccountFlows
import Testing
import Validation

@testable import theater

private let long = "four lions in a cinema"

@Suite("a new password in a terminal")
struct NewPasswordViewTests {
  private func sitting() -> Sitting<NewPasswordView> {
    Sitting(NewPasswordView(paint: plain), NewPasswordScreen(.standard))
  }

  @Test(
    "C4 C7 · the rules stand beside what is typed, live, and it is hidden until it is to be seen")
  func live() {
    var sitting = sitting()
    #expect(sitting.text.contains("Your new password") && sitting.text.contains("0 of 4"))
    #expect(sitting.text.contains("· at least 8 characters"))
    sitting.type("k84h2m9q")
    #expect(sitting.text.contains("✓ at least 8 characters"))
    #expect(sitting.text.contains("· Advice: at least 15 characters"))
    #expect(sitting.text.contains("4 of 4") && sitting.text.contains("••••••••_"))
    sitting.press(.reveal)
    #expect(sitting.text.contains("k84h2m9q_") && sitting.text.contains("Ctrl-T: hide"))
  }

  @Test("C4 · a rule that is kept or not yet kept says what it asks for; a broken one what to do")
  func statements() {
    var sitting = sitting()
    sitting.type("k84h2m9q")
    #expect(sitting.text.contains("✓ at most 256 characters"))
    #expect(!sitting.text.contains("Shorten"))
    sitting.press(.eraseAll)
    sitting.type(String(repeating: "k84h2m9q ", count: 29))
    #expect(sitting.text.contains("· at most 256 characters"))
    #expect(!sitting.text.contains("Shorten"))
    sitting.press(.enter, .enter)
    #expect(sitting.text.contains("✗ Shorten the password to at most 256 characters."))
    #expect(sitting.text.contains("✓ at least 8 characters"))
  }

  @Test(
    "C7 · Enter goes from field to field and sets it; the cursor goes where something is mended")
  func keys() {
    var sitting = sitting()
    sitting.type("short")
    sitting.press(.enter)
    sitting.type("short")
    sitting.press(.enter)
    #expect(sitting.text.contains("✗ Make the password at least 8 characters long."))
    sitting.press(.eraseAll)
    sitting.type(long)
    sitting.press(.enter, .eraseAll)
    sitting.type("\(long)!")
    sitting.press(.enter)
    #expect(sitting.text.contains("✗ The two passwords differ. Type both again."))
    for _ in 1...2 {
      sitting.type(long)
      sitting.press(.enter)
    }
    #expect(sitting.work == [.set(TypedPassword(long))])
    #expect(sitting.text.contains("Setting it …") && !sitting.text.contains("Ctrl-C"))
    let refusal = Refusal("unsuitable", field: "newPassword", message: "Too common.")
    sitting.take(.answer(.set(.failure(.refused(refusal)))))
    #expect(sitting.text.contains("✗ Too common."))
    sitting.type("x")
    #expect(sitting.screen.form.text(.password) == "x")
  }

  @Test("A9 · what another password does not mend ends the screen with its message")
  func ending() throws {
    let expired = Refusal("codeExpired", field: "code", message: "Too late.", hint: "Ask again.")
    let busy = Refusal("busy", message: "Not now.", retryAfter: 2)
    let short = Refusal("tooShort", field: "newPassword", message: "Too short.")
    for (refusal, ends) in [(expired, true), (busy, false), (short, false)] {
      var sitting = sitting()
      for _ in 1...2 {
        sitting.type(long)
        sitting.press(.enter)
      }
      sitting.take(.answer(.set(.failure(.refused(refusal)))))
      #expect((sitting.face.ending(sitting.screen) != nil) == ends, "\(refusal.code)")
    }
  }
}
