import AccountFlows
import Testing
import Validation

@testable import theater

private let email = FieldDeclaration(.email, label: "e-mail address", rules: [Rule(.email)])

private func refusal(_ left: Int) -> ScreenFailure {
  .refused(Refusal("codeWrong", field: "code", message: "The code is wrong.", triesLeft: left))
}

@Suite("codes in a terminal")
struct CodeViewTests {
  @Test("D6 · the code screen counts down, then offers to send again")
  func countdown() {
    var harness = ViewHarness(
      CodeView(style: plain), CodeScreen(CodeTicket(wait: 61, destination: "a…@example.org")))
    #expect(harness.text.contains("Send again in 1:01"))
    #expect(harness.text.contains("to a…@example.org."))
    harness.press(.resend)
    #expect(harness.work == [.tick(at: .seconds(1))])
    _ = harness.screen.receive(.answer(.ticked), at: .seconds(61))
    #expect(harness.text.contains("Ctrl-R: send again") && !harness.text.contains("in 0:00"))
    harness.press(.resend)
    #expect(harness.work.contains(.sendAgain))
    #expect(harness.text.contains("Asking…"))
  }

  @Test("D5 · shows progress and ignores keys from the last digit to the answer")
  func submitting() {
    var harness = ViewHarness(CodeView(style: plain), CodeScreen(CodeTicket(wait: 0)))
    harness.type("12345")
    #expect(harness.text.contains("12345_") && !harness.text.contains("Asking…"))
    harness.type("6")
    #expect(harness.text.contains("Asking…") && !harness.text.contains("_"))
    harness.press(.eraseAll, .text("7"), .enter, .resend)
    #expect(harness.text.contains("123456") && harness.work == [.verify("123456")])
    harness.receive(.answer(.verified(.failure(refusal(4)))))
    #expect(!harness.text.contains("Asking…") && harness.text.contains("✗ The code is wrong."))
    harness.type("9")
    #expect(harness.text.contains("9_"))
  }

  @Test("D5 · shows progress and ignores keys from \"send again\" to the answer")
  func sendingAgain() {
    var harness = ViewHarness(CodeView(style: plain), CodeScreen(CodeTicket(wait: 0)))
    harness.type("12")
    harness.press(.resend)
    #expect(harness.text.contains("Asking…") && !harness.text.contains("_"))
    harness.type("3456")
    harness.press(.resend)
    #expect(harness.work == [.sendAgain] && !harness.text.contains("3456"))
    harness.receive(.answer(.sent(.failure(.network("The connection broke.")))))
    #expect(!harness.text.contains("Asking…") && harness.text.contains("12_"))
    harness.press(.resend)
    harness.receive(.answer(.sent(.success(CodeTicket(wait: 0)))))
    #expect(!harness.text.contains("Asking…") && !harness.text.contains("12_"))
    harness.type("3")
    #expect(harness.text.contains("3_"))
  }

  @Test("D8 · the tries left are shown while the next code is typed")
  func tries() {
    var harness = ViewHarness(CodeView(style: plain), CodeScreen(CodeTicket(wait: 30)))
    #expect(!harness.text.contains("left."))
    for (left, words) in [(2, "2 tries are left."), (1, "1 try is left.")] {
      harness.type("000000")
      harness.receive(.answer(.verified(.failure(refusal(left)))))
      #expect(harness.text.contains("✗ The code is wrong.") && harness.text.contains("in 0:30"))
      harness.type("1")
      #expect(harness.text.contains(words) && !harness.text.contains("✗"))
      harness.press(.eraseAll)
    }
  }

  @Test("D6 · the code of an app has no countdown and no resend")
  func ofAnApp() {
    let view = CodeView(style: plain, title: "The code that it shows now")
    var harness = ViewHarness(view, CodeScreen(CodeTicket(wait: nil)))
    #expect(harness.text.contains("The code that it shows now"))
    #expect(!harness.text.contains("again") && !harness.text.contains("sent"))
    harness.press(.resend)
    #expect(harness.work == [])
  }

  @Test(
    "D1 · the flow asks for the address and the code; Escape leads back, and the code stays valid")
  func flow() {
    var harness = ViewHarness(CodeFlowView(style: plain), CodeFlow(email))
    #expect(harness.text.contains("Where should the code be sent?"))
    harness.type("ann@")
    harness.press(.enter)
    #expect(harness.text.contains("✗ Type the e-mail address like anna@example.org."))
    harness.type("example.org")
    harness.press(.enter)
    #expect(harness.work == [.request("ann@example.org")] && harness.text.contains("Sending…"))
    let ticket = CodeTicket(request: "r1", wait: 30, destination: "ann@example.org")
    harness.receive(.answer(.requested(.success(ticket))))
    #expect(harness.text.contains("A code of 6 digits was sent to ann@example.org."))
    #expect(harness.text.contains("Send again in 0:30 · Esc: back"))
    harness.press(.back)
    #expect(harness.text.contains("ann@example.org_"))
    harness.press(.enter)
    harness.type("123456")
    #expect(harness.work.last == .verify("123456", request: "r1"))
  }

  @Test("D1 · a failure that another address cannot fix ends the screen")
  func ending() throws {
    let unavailable = Refusal("deliveryUnavailable", message: "No e-mail.", hint: "Set it up.")
    let early = Refusal("tooEarly", message: "Not yet.", retryAfter: 20)
    let malformed = Refusal("malformed", field: "email", message: "No address.")
    for (refusal, ends) in [(unavailable, true), (early, false), (malformed, false)] {
      var harness = ViewHarness(
        CodeFlowView(style: plain), CodeFlow(email, contact: "ann@example.org"))
      harness.receive(.answer(.requested(.failure(.refused(refusal)))))
      #expect((harness.view.exitError(for: harness.screen) != nil) == ends, "\(refusal.code)")
      #expect(harness.text.contains("✗ \(refusal.message)"))
    }
  }

  @Test("E4 D3 · a login by code asks for code and second factor, with a way back")
  func login() {
    var harness = ViewHarness(
      LoginView(hasEmail: false, style: plain, texts: english),
      LoginScreen(byCode: CodeFlow(email, contact: "ann@example.org")))
    harness.receive(.answer(.codeRequested(.success(CodeTicket(request: "r1", wait: 30)))))
    harness.type("123456")
    #expect(
      harness.work.last == .logIn(Credentials(.oneTimeCode("123456", request: "r1"))))
    harness.receive(.answer(.loggedIn(.success(nil))))
    #expect(harness.text.contains("second factor"))
    harness.press(.back)
    #expect(harness.text.contains("Send again in 0:30"))
    harness.type("123456")
    harness.receive(.answer(.loggedIn(.success(nil))))
    harness.type("654321")
    let both = Credentials(.oneTimeCode("123456", request: "r1"), code: "654321")
    #expect(harness.work.last == .logIn(both))
  }
}
