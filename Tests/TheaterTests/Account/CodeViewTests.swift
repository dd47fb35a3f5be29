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
  @Test("D6 · the code screen counts down, and then offers to send again in the same place")
  func countdown() {
    var sitting = Sitting(
      CodeView(paint: plain), CodeScreen(CodeTicket(wait: 61, destination: "a…@example.org")))
    #expect(sitting.text.contains("Send again in 1:01"))
    #expect(sitting.text.contains("to a…@example.org."))
    sitting.press(.again)
    #expect(sitting.work == [.tick(at: .seconds(1))])
    _ = sitting.screen.receive(.answer(.ticked), at: .seconds(61))
    #expect(sitting.text.contains("Ctrl-R: send again") && !sitting.text.contains("in 0:00"))
    sitting.press(.again)
    #expect(sitting.work.contains(.sendAgain))
    #expect(sitting.text.contains("Asking …"))
  }

  @Test("D8 · how many tries are left stands there while the next one is typed")
  func tries() {
    var sitting = Sitting(CodeView(paint: plain), CodeScreen(CodeTicket(wait: 30)))
    #expect(!sitting.text.contains("left."))
    for (left, words) in [(2, "2 tries are left."), (1, "1 try is left.")] {
      sitting.type("000000")
      sitting.take(.answer(.verified(.failure(refusal(left)))))
      #expect(sitting.text.contains("✗ The code is wrong.") && sitting.text.contains("in 0:30"))
      sitting.type("1")
      #expect(sitting.text.contains(words) && !sitting.text.contains("✗"))
      sitting.press(.eraseAll)
    }
  }

  @Test("D6 · the code of an app has no countdown, and nobody sends it again")
  func ofAnApp() {
    let face = CodeView(paint: plain, title: "The code that it shows now")
    var sitting = Sitting(face, CodeScreen(CodeTicket(wait: nil)))
    #expect(sitting.text.contains("The code that it shows now"))
    #expect(!sitting.text.contains("again") && !sitting.text.contains("sent"))
    sitting.press(.again)
    #expect(sitting.work == [])
  }

  @Test("D1 · where the code goes, the code, Escape, and the same code again")
  func flow() {
    var sitting = Sitting(CodeFlowView(paint: plain), CodeFlow(email))
    #expect(sitting.text.contains("Where is the code to go?"))
    sitting.type("ann@")
    sitting.press(.enter)
    #expect(sitting.text.contains("✗ Type the e-mail address like anna@example.org."))
    sitting.type("example.org")
    sitting.press(.enter)
    #expect(sitting.work == [.request("ann@example.org")] && sitting.text.contains("Sending …"))
    let ticket = CodeTicket(request: "r1", wait: 30, destination: "ann@example.org")
    sitting.take(.answer(.requested(.success(ticket))))
    #expect(sitting.text.contains("A code of 6 digits was sent to ann@example.org."))
    #expect(sitting.text.contains("Send again in 0:30 · Esc: back"))
    sitting.press(.back)
    #expect(sitting.text.contains("ann@example.org_"))
    sitting.press(.enter)
    sitting.type("123456")
    #expect(sitting.work.last == .verify("123456", request: "r1"))
  }

  @Test("D1 · what another address does not mend ends the screen with its message")
  func ending() throws {
    let unavailable = Refusal("deliveryUnavailable", message: "No e-mail.", hint: "Set it up.")
    let early = Refusal("tooEarly", message: "Not yet.", retryAfter: 20)
    let malformed = Refusal("malformed", field: "email", message: "No address.")
    for (refusal, ends) in [(unavailable, true), (early, false), (malformed, false)] {
      var sitting = Sitting(
        CodeFlowView(paint: plain), CodeFlow(email, contact: "ann@example.org"))
      sitting.take(.answer(.requested(.failure(.refused(refusal)))))
      #expect((sitting.face.ending(sitting.screen) != nil) == ends, "\(refusal.code)")
      #expect(sitting.text.contains("✗ \(refusal.message)"))
    }
  }

  @Test("E4 D3 · logging in by code: the code, the second factor, and the way back")
  func login() {
    var sitting = Sitting(
      LoginView(hasEmail: false, paint: plain),
      LoginScreen(byCode: CodeFlow(email, contact: "ann@example.org")))
    sitting.take(.answer(.codeRequested(.success(CodeTicket(request: "r1", wait: 30)))))
    sitting.type("123456")
    #expect(
      sitting.work.last == .logIn(Credentials(.oneTimeCode("123456", request: "r1"))))
    sitting.take(.answer(.loggedIn(.success(nil))))
    #expect(sitting.text.contains("second factor"))
    sitting.press(.back)
    #expect(sitting.text.contains("Send again in 0:30"))
    sitting.type("123456")
    sitting.take(.answer(.loggedIn(.success(nil))))
    sitting.type("654321")
    let both = Credentials(.oneTimeCode("123456", request: "r1"), code: "654321")
    #expect(sitting.work.last == .logIn(both))
  }
}
