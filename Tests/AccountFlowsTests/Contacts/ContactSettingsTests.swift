import AccountFlows
import TestSupport
import Testing
import Validation

private let phone = "+49 170 1234567"
private let ticket = CodeTicket(request: "r1", length: 6, wait: 30)

@Suite("one's e-mail address and phone, event by event") struct ContactSettingsTests {
  private func played(
    _ contacts: AccountContacts = AccountContacts(email: "ann@example.org", isEmailVerified: true)
  ) -> Played<ContactSettings> {
    Played(ContactSettings(contacts, .standard))
  }

  @Test("B7 · e-mail, password and phone enable Register; the phone alone enables Send code")
  func buttons() {
    var played = played()
    #expect(!played.screen.isEnabled(.register) && !played.screen.isEnabled(.sendCode))
    played.send(.typed(.phone, "+49 170"))
    #expect(played.newOutputs() == [])
    played.send(.typed(.phone, phone))
    #expect(played.newOutputs() == [.control(.sendCode, isEnabled: true)])
    played.send(.typed(.password, "x"))
    #expect(played.newOutputs() == [.control(.register, isEnabled: true)])
    played.send(.typed(.email, "ann@"))
    #expect(played.newOutputs() == [.control(.register, isEnabled: false)])
    #expect(played.screen.isEnabled(.sendCode))
    played.send(.register)
    #expect(played.newWork() == [])
  }

  @Test("B7 D5 · Send code verifies the phone alone, and the form stays")
  func phoneAlone() {
    var played = played()
    played.send(.typed(.phone, phone), .sendCode)
    #expect(played.newWork() == [.code(.phone, .request(phone))])
    #expect(played.screen.isLocked && played.screen.step == .form)
    played.answer(.code(.phone, .requested(.success(ticket))))
    #expect(played.screen.step == .code && played.screen.contact == .phone)
    played.send(.code(.typed("123456")))
    #expect(played.newWork().contains(.code(.phone, .verify("123456", request: "r1"))))
    played.answer(.code(.phone, .verified(.success(.done))))
    #expect(played.newOutputs().contains(.verified(.phone)))
    #expect(played.screen.step == .form && !played.screen.isOver)
    #expect(played.screen.contacts.phone == phone)
  }

  @Test("B7 · Register proves the identity, then verifies each contact that has changed")
  func register() {
    var played = played()
    played.send(
      .typed(.email, "bo@example.org"), .typed(.password, "a long evening"),
      .typed(.phone, phone), .register)
    #expect(played.newWork() == [.prove(IdentityProof("a long evening"))])
    played.answer(.proved(nil))
    #expect(played.newWork() == [.code(.email, .request("bo@example.org"))])
    played.answer(.code(.email, .requested(.success(ticket))))
    played.send(.code(.typed("123456")))
    _ = played.newWork()
    played.answer(.code(.email, .verified(.success(.done))))
    #expect(played.newWork() == [.code(.phone, .request(phone))])
    #expect(played.screen.step == .form && played.screen.isLocked)
    played.answer(.code(.phone, .requested(.success(ticket))))
    played.send(.code(.typed("654321")))
    played.answer(.code(.phone, .verified(.success(.done))))
    #expect(played.screen.isOver)
    #expect(
      played.screen.contacts
        == AccountContacts(email: "bo@example.org", isEmailVerified: true, phone: phone))
  }

  @Test("B7 · contacts that are verified already are not verified again")
  func unchanged() {
    let contacts = AccountContacts(email: "ann@example.org", isEmailVerified: true, phone: phone)
    var played = played(contacts)
    played.send(.typed(.password, "a long evening"), .register)
    played.answer(.proved(nil))
    #expect(played.screen.isOver && played.screen.contacts == contacts)
    #expect(played.newWork() == [.prove(IdentityProof("a long evening"))])
  }

  @Test("B7 N-B2 · a second factor adds a field, which Register needs from then on")
  func secondFactor() {
    var played = played()
    played.send(.typed(.phone, phone), .typed(.password, "a long evening"), .register)
    let needed = ScreenFailure.refused(Refusal("secondFactorNeeded", message: "Give the code."))
    played.answer(.proved(needed))
    #expect(played.screen.failure == needed && !played.screen.isEnabled(.register))
    #expect(played.screen.isEnabled(.sendCode))
    played.send(.typed(.factor, "123456"))
    #expect(played.screen.isEnabled(.register))
    _ = played.newWork()
    played.send(.register)
    #expect(played.newWork() == [.prove(IdentityProof("a long evening", factor: "123456"))])
  }

  @Test("A9 B7 · a refusal keeps the form; a wrong password is typed again")
  func refusals() {
    var played = played()
    played.send(.typed(.phone, phone), .typed(.password, "wrong"), .register)
    let wrong = ScreenFailure.refused(Refusal("wrongPassword", message: "It is wrong."))
    played.answer(.proved(wrong))
    #expect(played.screen.failure == wrong && played.screen.form.text(.password) == "")
    #expect(played.screen.form.text(.phone) == phone && !played.screen.isLocked)
    played.send(.sendCode)
    #expect(played.screen.failure == nil)
    let throttled = ScreenFailure.refused(Refusal("throttled", message: "Wait.", retryAfter: 9))
    played.answer(.code(.phone, .requested(.failure(throttled))))
    #expect(played.screen.failure == throttled && played.screen.step == .form)
    #expect(played.screen.isEnabled(.sendCode))
  }

  @Test("B7 · a proof that is too old is given again with the typed password, once")
  func oldProof() {
    var played = played()
    let old = ScreenFailure.refused(Refusal("proofNeeded", message: "Prove it."))
    played.send(.typed(.phone, phone), .sendCode)
    played.answer(.code(.phone, .requested(.failure(old))))
    #expect(played.screen.failure == old)
    played.send(.typed(.password, "a long evening"), .sendCode)
    _ = played.newWork()
    played.answer(.code(.phone, .requested(.failure(old))))
    #expect(played.newWork() == [.prove(IdentityProof("a long evening"))])
    played.answer(.proved(nil))
    #expect(played.newWork() == [.code(.phone, .request(phone))])
    played.answer(.code(.phone, .requested(.failure(old))))
    #expect(played.newWork() == [] && played.screen.failure == old)
  }

  @Test("B7 · back from the code leads to the form; the next code may go elsewhere")
  func back() {
    var played = played()
    played.send(.typed(.phone, phone), .sendCode)
    played.answer(.code(.phone, .requested(.success(ticket))))
    played.send(.back)
    #expect(played.screen.step == .form && played.screen.code == nil)
    played.send(.typed(.phone, "+380 67 123 4567"))
    _ = played.newWork()
    played.send(.sendCode)
    #expect(played.newWork() == [.code(.phone, .request("+380 67 123 4567"))])
  }

  // MARK: With services

  private struct Services: IdentityProofService, CodeRequestService, CodeService {
    func prove(_ proof: IdentityProof) async throws(ScreenFailure) {
      guard proof.password == "right" else { throw .network("wrong") }
    }
    func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket { ticket }
    func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
      .done
    }
  }

  @Test("B7 · the screen with its driver verifies both contacts")
  func driver() async {
    let contacts = AccountContacts(email: "ann@example.org", isEmailVerified: false)
    let driver = ContactSettings(contacts, .standard).driver(
      Services(), email: Services(), phone: Services(), clock: ManualClock())
    await withRunning(driver) { harness in
      await harness.send(.typed(.password, "right"))
      await harness.send(.typed(.phone, phone))
      await harness.send(.register)
      for contact in CodeContact.allCases {
        await harness.waitFor(.step(.code))
        await harness.send(.code(.typed("123456")))
        await harness.waitFor(.verified(contact))
      }
      #expect(harness.screen?.isOver == true)
    }
  }
}
