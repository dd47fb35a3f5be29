import AccountFlows
import Testing
import Validation

@testable import theater

private let long = "four lions in a cinema"
private let ben = LoggedInPerson(name: "Ben", email: "ben@example.org")

@Suite("registration by code in a terminal")
struct RegistrationByCodeViewTests {
  @Test("D10 · the start asks for the code; the arrows choose what to begin with")
  func start() {
    var harness = ViewHarness(RegistrationStartView(style: plain), RegistrationStart())
    #expect(harness.text.contains("Register") && harness.text.contains("( Begin )"))
    harness.type("ABCD")
    #expect(harness.text.contains("ABCD_") && harness.text.contains("[ Begin ]"))
    harness.press(.next)
    #expect(harness.text.contains("‹ invitation ›"))
    harness.press(.next, .nextOption)
    #expect(harness.text.contains("‹ e-mail address ›"))
    harness.press(.previousOption, .previousOption)
    #expect(harness.text.contains("‹ phone number ›"))
    harness.press(.text(" "), .text(" "))
    #expect(harness.text.contains("‹ e-mail address ›"))
    harness.press(.text("x"), .erase)
    #expect(harness.text.contains("‹ e-mail address ›"))
    harness.press(.enter)
    #expect(harness.screen.way == .byCode(.email, invitation: "ABCD"))
  }

  @Test("D10 · with the setup code there is no choice; without a code nothing begins")
  func setupCode() {
    var harness = ViewHarness(RegistrationStartView(style: plain), RegistrationStart())
    harness.press(.enter, .nextOption)
    #expect(harness.text.contains("‹ setup code ›") && !harness.text.contains("begin with"))
    harness.press(.enter)
    #expect(harness.screen.way == nil && harness.text.contains("✗"))
    // The cursor stands at the missing code.
    harness.type("EFGH")
    harness.press(.enter, .enter)
    #expect(harness.screen.way == .byName(.setupCode("EFGH")))
  }

  private func verified(
    _ contact: CodeContact = .email, _ address: String = "ben@example.org",
    given: [FieldName: String] = [:]
  ) -> ViewHarness<CodeRegistrationView> {
    var harness = ViewHarness(
      CodeRegistrationView(given: given, style: plain), CodeRegistration(by: contact, .standard))
    harness.type(address)
    harness.press(.enter)
    harness.receive(.answer(.code(.requested(.success(CodeTicket(request: "r1", wait: 30))))))
    harness.type("123456")
    harness.receive(.answer(.code(.verified(.success(.personalDataNeeded)))))
    return harness
  }

  @Test("D10 · an address, its code, then name and password: each key by key, with live rules")
  func byEmail() {
    var harness = ViewHarness(
      CodeRegistrationView(style: plain), CodeRegistration(by: .email, .standard))
    #expect(harness.text.contains("Where should the code be sent?"))
    harness.type("ben@example.org")
    harness.press(.enter)
    #expect(harness.work == [.code(.request("ben@example.org"))])
    harness.receive(.answer(.code(.requested(.success(CodeTicket(request: "r1", wait: 30))))))
    #expect(harness.text.contains("Send again in 0:30"))
    harness.type("123456")
    #expect(harness.work.last == .code(.verify("123456", request: "r1")))
    #expect(harness.text.contains("Asking…"))
    harness.receive(.answer(.code(.verified(.success(.personalDataNeeded)))))
    #expect(harness.text.contains("( Register )") && !harness.text.contains("e-mail address  "))
    harness.type("Ben")
    harness.press(.enter)
    harness.type("a ben@example.org")
    #expect(harness.text.contains("· without your name and address"))
    harness.press(.eraseAll)
    harness.type(long)
    #expect(!harness.text.contains(long) && harness.text.contains("✓ at least 15 characters"))
    harness.press(.enter)
    harness.type(long)
    #expect(harness.text.contains("( Register )"))
    harness.press(.enter, .text(" "))
    #expect(harness.text.contains("[ Register ]"))
    harness.press(.enter)
    #expect(harness.text.contains("Registering…") && !harness.text.contains("_"))
    let person = NewPerson(name: "Ben", email: "ben@example.org", password: long)
    #expect(harness.work.last == .register(person, code: "123456", request: "r1"))
    harness.receive(.answer(.registered(.success(ben))))
    #expect(harness.screen.person == ben && !harness.text.contains("Registering…"))
  }

  @Test("D10 · after a phone number the e-mail address is asked for; given answers are filled in")
  func byPhone() {
    var harness = verified(
      .phone, "+49 170 1234567", given: [.name: "Ben", .email: "ben@example.org"])
    #expect(harness.text.contains("Ben") && harness.text.contains("ben@example.org"))
    // The cursor stands at the first empty field.
    for _ in 1...2 {
      harness.type(long)
      harness.press(.enter)
    }
    harness.press(.text(" "), .enter)
    let person = NewPerson(name: "Ben", email: "ben@example.org", password: long)
    #expect(harness.work.last == .register(person, code: "123456", request: "r1"))
  }

  @Test("D10 A9 · a refused code is typed again; a refused invitation ends the command")
  func failures() throws {
    var harness = verified(given: [.name: "Ben"])
    for _ in 1...2 {
      harness.type(long)
      harness.press(.enter)
    }
    harness.press(.text(" "), .enter)
    let expired = Refusal("codeExpired", field: "code", message: "Too late.", hint: "Ask again.")
    harness.receive(.answer(.registered(.failure(.refused(expired)))))
    #expect(harness.text.contains("✗ Too late. Ask again.") && harness.text.contains("A code of 6"))
    #expect(harness.view.exitError(for: harness.screen) == nil)
    harness.type("654321")
    harness.receive(.answer(.code(.verified(.success(.personalDataNeeded)))))
    #expect(harness.text.contains("[ Register ]"))
    harness.press(.next, .next, .next, .enter)
    let used = Refusal("codeInvalid", field: "code", message: "It is used.")
    harness.receive(.answer(.registered(.failure(.refused(used)))))
    let error = try #require(harness.view.exitError(for: harness.screen))
    #expect(error.code == .failed && error.text == "It is used.")
  }

  @Test("D10 E6 · a taken address is said before a code is sent, and another can be typed")
  func taken() {
    var harness = ViewHarness(
      CodeRegistrationView(isLeavable: true, style: plain), CodeRegistration(by: .email, .standard))
    harness.type("ann@example.org")
    harness.press(.enter)
    let refusal = Refusal("taken", field: "email", message: "Taken.")
    harness.receive(.answer(.code(.requested(.failure(.refused(refusal))))))
    #expect(harness.text.contains("✗ Taken.") && harness.view.canLeave(harness.screen))
    #expect(harness.view.exitError(for: harness.screen) == nil)
    harness.press(.eraseAll)
    harness.type("ben@example.org")
    harness.press(.enter)
    #expect(harness.work.last == .code(.request("ben@example.org")))
  }

  @Test("D10 · Escape does not leave the personal data, which would be lost")
  func noWayOut() {
    var harness = verified()
    harness.press(.back)
    #expect(harness.screen.step == .personalData && !harness.view.canLeave(harness.screen))
  }
}
