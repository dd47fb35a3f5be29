import AccountFlows
import Testing
import Validation

@testable import theater

private let phone = "+49 170 1234567"
private let ticket = CodeTicket(request: "r1", wait: 30, destination: phone)

@Suite("the forms of an account in a terminal") struct AccountFormViewTests {
  private func contacts() -> ViewHarness<ContactSettingsView> {
    ViewHarness(
      ContactSettingsView(style: plain, texts: english),
      ContactSettings(AccountContacts(email: "ann@example.org", isEmailVerified: true), .standard))
  }

  @Test("B1 B7 · the phone enables one button, all three fields the other, key by key")
  func buttons() {
    var harness = contacts()
    #expect(harness.text.contains("ann@example.org_"))
    #expect(harness.text.contains("( Register )") && harness.text.contains("( Send a code )"))
    harness.press(.enter, .enter)
    // An empty field may be filled in later.
    #expect(harness.text.contains("▸  phone number"))
    harness.type(phone)
    #expect(harness.text.contains("( Register )") && harness.text.contains("[ Send a code ]"))
    harness.press(.back)
    harness.type("x")
    #expect(harness.text.contains("[ Register ]") && !harness.text.contains("x_"))
    harness.press(.erase)
    #expect(harness.text.contains("( Register )"))
  }

  @Test("B7 · Ctrl-R sends a code to the phone; Escape leads back to the form")
  func sendCode() {
    var harness = contacts()
    harness.press(.resend)
    #expect(harness.work.isEmpty && harness.text.contains("▸  phone number"))
    harness.type(phone)
    harness.press(.resend)
    #expect(harness.work == [.code(.phone, .request(phone))] && harness.text.contains("Asking…"))
    harness.receive(.answer(.code(.phone, .requested(.success(ticket)))))
    #expect(harness.text.contains("A code of 6 digits was sent to \(phone)."))
    harness.press(.back)
    #expect(harness.text.contains("[ Send a code ]"))
  }

  @Test("B7 · Enter in the last field registers; a second factor is asked for in the same form")
  func register() {
    var harness = contacts()
    harness.press(.enter)
    harness.type("secret")
    harness.press(.enter)
    harness.type(phone)
    harness.press(.enter)
    #expect(harness.work == [.prove(IdentityProof("secret"))])
    let needed = Refusal("secondFactorNeeded", message: "The account has a second factor.")
    harness.receive(.answer(.proved(.refused(needed))))
    #expect(harness.text.contains("✗ The account has a second factor."))
    #expect(harness.text.contains("code of your second factor"))
  }

  @Test("B1 B8 · a token's number of days is typed, and gates the button")
  func accessToken() {
    var harness = ViewHarness(
      AccessTokenView(style: plain), AccessTokenScreen(values: [.name: "doorbell"]))
    harness.press(.enter)
    harness.type("pause")
    harness.press(.enter)
    #expect(harness.text.contains("90_") && harness.text.contains("[ Create ]"))
    harness.type("0")
    #expect(harness.text.contains("900_") && harness.text.contains("( Create )"))
    harness.press(.enter)
    #expect(harness.text.contains("✗ Give the number of days as a number from 1 to 730."))
    harness.press(.erase, .enter)
    #expect(harness.screen.token == NewAccessToken("doorbell", may: ["pause"], days: 90))
  }
}
