import AccountFlows
import Testing
import Validation

@testable import theater

private let long = "four lions in a cinema"

@Suite("a new password in a terminal")
struct NewPasswordViewTests {
  private func harness() -> ViewHarness<NewPasswordView> {
    ViewHarness(NewPasswordView(style: plain, texts: english), NewPasswordScreen(.standard))
  }

  @Test(
    "C4 C7 · the rules are live, and the password is hidden until it is revealed")
  func live() {
    var harness = harness()
    #expect(harness.text.contains("Your new password") && harness.text.contains("0 of 4"))
    #expect(harness.text.contains("· at least 8 characters"))
    harness.type("k84h2m9q")
    #expect(harness.text.contains("✓ at least 8 characters"))
    #expect(harness.text.contains("· Advice: at least 15 characters"))
    #expect(harness.text.contains("4 of 4") && harness.text.contains("••••••••_"))
    harness.press(.reveal)
    #expect(harness.text.contains("k84h2m9q_") && harness.text.contains("Ctrl-T: hide"))
  }

  @Test("C3 · evaluates the rules at every key, whether it adds or erases text")
  func everyKey() {
    func count(_ harness: ViewHarness<NewPasswordView>) -> String {
      harness.text.split(separator: "\n").first { $0.contains(" of ") }
        .map { String($0.suffix(6)) } ?? ""
    }
    var harness = harness()
    var counts: [String] = []
    // The seventh key does not reach the minimum, the eighth does.
    for key in "k84h2m9q" {
      harness.press(.text(String(key)))
      counts.append(count(harness))
    }
    #expect(counts == Array(repeating: "3 of 4", count: 7) + ["4 of 4"])
    harness.press(.erase)
    #expect(count(harness) == "3 of 4" && harness.text.contains("· at least 8 characters"))
    harness.press(.text("q"))
    #expect(count(harness) == "4 of 4" && harness.text.contains("✓ at least 8 characters"))
    harness.press(.eraseAll)
    #expect(count(harness) == "0 of 4")
    // A rule over two fields follows the keys of either.
    for key in "k84h2m9q" { harness.press(.text(String(key))) }
    harness.press(.next)
    for key in "k84h2m9q" { harness.press(.text(String(key))) }
    #expect(harness.screen.canSubmit)
    harness.press(.back, .text("!"))
    #expect(!harness.screen.canSubmit)
  }

  @Test("C4 · a rule shows its requirement; after submission a broken one shows how to correct it")
  func statements() {
    var harness = harness()
    harness.type("k84h2m9q")
    #expect(harness.text.contains("✓ at most 256 characters"))
    #expect(!harness.text.contains("Shorten"))
    harness.press(.eraseAll)
    harness.type(String(repeating: "k84h2m9q ", count: 29))
    #expect(harness.text.contains("· at most 256 characters"))
    #expect(!harness.text.contains("Shorten"))
    harness.press(.enter, .enter)
    #expect(harness.text.contains("✗ Shorten the password to at most 256 characters."))
    #expect(harness.text.contains("✓ at least 8 characters"))
  }

  @Test(
    "C7 · Enter moves through the fields and submits; the focus moves to the field to correct")
  func keys() {
    var harness = harness()
    harness.type("short")
    harness.press(.enter)
    #expect(harness.text.contains("✗ Make the password at least 8 characters long."))
    harness.press(.eraseAll)
    harness.type(long)
    harness.press(.enter, .eraseAll)
    harness.type("\(long)!")
    harness.press(.enter)
    #expect(harness.text.contains("✗ The two passwords differ. Type both again."))
    for _ in 1...2 {
      harness.type(long)
      harness.press(.enter)
    }
    #expect(harness.work == [.set(TypedPassword(long))])
    #expect(harness.text.contains("Setting it…") && !harness.text.contains("Ctrl-C"))
    let refusal = Refusal("unsuitable", field: "newPassword", message: "Too common.")
    harness.receive(.answer(.set(.failure(.refused(refusal)))))
    #expect(harness.text.contains("✗ Too common."))
    harness.type("x")
    #expect(harness.screen.form.text(.password) == "x")
  }

  @Test("A9 · a failure that another password cannot fix ends the screen")
  func ending() throws {
    let expired = Refusal("codeExpired", field: "code", message: "Too late.", hint: "Ask again.")
    let busy = Refusal("busy", message: "Not now.", retryAfter: 2)
    let short = Refusal("tooShort", field: "newPassword", message: "Too short.")
    for (refusal, ends) in [(expired, true), (busy, false), (short, false)] {
      var harness = harness()
      for _ in 1...2 {
        harness.type(long)
        harness.press(.enter)
      }
      harness.receive(.answer(.set(.failure(.refused(refusal)))))
      #expect((harness.view.exitError(for: harness.screen) != nil) == ends, "\(refusal.code)")
    }
  }
}
