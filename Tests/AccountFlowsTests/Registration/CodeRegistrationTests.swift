import AccountFlows
import Testing
import Validation

private let password = "four lions in a cinema"
private let ann = LoggedInPerson(name: "Ann", email: "ann@example.org")
private let ticket = CodeTicket(request: "r1", length: 6, wait: 30)

@Suite("registration by code, event by event") struct CodeRegistrationTests {
  /// The screen after the right code, sent to `contact`.
  private func verified(_ kind: CodeContact, _ contact: String) -> Played<CodeRegistration> {
    var played = Played(CodeRegistration(by: kind, .standard))
    played.send(.code(.contact(.typed(contact))), .code(.contact(.submit)))
    played.answer(.code(.requested(.success(ticket))))
    played.send(.code(.code(.typed("123456"))))
    played.answer(.code(.verified(.success(.personalDataNeeded))))
    return played
  }

  private func submitted() -> Played<CodeRegistration> {
    var played = verified(.email, "ann@example.org")
    played.send(
      .typed(.name, "Ann"), .typed(.password, password), .typed(.passwordAgain, password),
      .typed(.accept, FieldKind.on))
    _ = (played.newOutputs(), played.newWork())
    played.send(.submit)
    return played
  }

  @Test("D10 · begins with an address or number, then takes the code, then the personal data")
  func begins() {
    var played = Played(CodeRegistration(by: .email, .standard))
    #expect(played.screen.step == .code && !played.screen.canSubmit)
    played.send(.code(.contact(.typed("ann@example.org"))), .code(.contact(.submit)))
    #expect(played.newWork() == [.code(.request("ann@example.org"))])
    played.answer(.code(.requested(.success(ticket))))
    #expect(played.newWork().contains(.code(.tick(at: .seconds(1)))))
    played.send(.code(.code(.typed("123456"))))
    #expect(played.newWork() == [.code(.verify("123456", request: "r1"))])
    #expect(played.screen.isLocked)
    played.answer(.code(.verified(.success(.personalDataNeeded))))
    #expect(played.screen.step == .personalData && !played.screen.canSubmit)
    #expect(
      played.newOutputs().last == .personalDataNeeded([.name, .password, .passwordAgain, .accept]))
  }

  @Test("D10 · after a phone number the e-mail address is needed too, as it is the login name")
  func byPhone() {
    var played = verified(.phone, "+49 170 1234567")
    #expect(played.screen.fields == [.name, .email, .password, .passwordAgain, .accept])
    played.send(
      .typed(.name, "Ann"), .typed(.password, password), .typed(.passwordAgain, password),
      .typed(.accept, FieldKind.on))
    #expect(!played.screen.canSubmit)
    played.send(.typed(.email, "ann@example.org"))
    #expect(played.screen.canSubmit)
  }

  @Test("D10 · submits the data with the code, and the answer opens the main screen")
  func success() {
    var played = submitted()
    #expect(
      played.newWork() == [
        .register(
          NewPerson(name: "Ann", email: "ann@example.org", password: password), code: "123456",
          request: "r1")
      ])
    #expect(played.screen.isLocked)
    played.answer(.registered(.success(ann)))
    #expect(Array(played.newOutputs().suffix(2)) == [.loading(false), .loggedIn(ann)])
    #expect(played.screen.isOver && played.screen.person == ann)
  }

  @Test("D10 C6 · the password may not contain the name in the verified address")
  func personalWords() {
    var played = verified(.email, "lionheart@example.org")
    played.send(.typed(.name, "Ann"), .typed(.password, "a lionheart in a cinema"))
    played.send(.typed(.passwordAgain, "a lionheart in a cinema"), .typed(.accept, FieldKind.on))
    #expect(!played.screen.canSubmit)
  }

  @Test("D10 D4 · a wrong code is typed again, and no personal data is asked for")
  func wrongCode() {
    var played = Played(CodeRegistration(by: .email, .standard))
    played.send(.code(.contact(.typed("ann@example.org"))), .code(.contact(.submit)))
    played.answer(.code(.requested(.success(ticket))))
    played.send(.code(.code(.typed("111111"))))
    let wrong = ScreenFailure.refused(Refusal("codeWrong", field: "code", message: "Wrong."))
    played.answer(.code(.verified(.failure(wrong))))
    #expect(played.screen.step == .code && played.screen.failure == wrong)
    played.send(.code(.code(.typed("123456"))))
    played.answer(.code(.verified(.success(.personalDataNeeded))))
    #expect(played.screen.step == .personalData && played.screen.failure == nil)
  }

  @Test("D10 · an expired code is asked for again, and the personal data stays")
  func expired() {
    var played = submitted()
    let expired = ScreenFailure.refused(Refusal("codeExpired", field: "code", message: "Old."))
    played.answer(.registered(.failure(expired)))
    #expect(played.screen.step == .code && played.screen.failure == expired)
    #expect(played.screen.form.text(.name) == "Ann" && !played.screen.isLocked)
    played.send(.code(.code(.typed("654321"))))
    #expect(played.screen.failure == nil)
    played.answer(.code(.verified(.success(.personalDataNeeded))))
    played.send(.submit)
    #expect(
      played.newWork().last
        == .register(
          NewPerson(name: "Ann", email: "ann@example.org", password: password), code: "654321",
          request: "r1"))
  }

  @Test("D10 A9 · other failures keep the data and enable the button again")
  func otherFailures() {
    for failure in [
      ScreenFailure.network("Nobody answers."),
      .refused(Refusal("codeInvalid", field: "code", message: "The invitation is used.")),
      .refused(Refusal("taken", field: "email", message: "Taken.")),
    ] {
      var played = submitted()
      played.answer(.registered(.failure(failure)))
      #expect(played.screen.failure == failure && played.screen.step == .personalData)
      #expect(played.screen.canSubmit && played.screen.form.text(.password) == password)
    }
  }

  @Test("D10 · a known address gets its code at once")
  func knownAddress() {
    let screen = CodeRegistration(by: .email, .standard, to: "ann@example.org")
    var played = Played(screen)
    #expect(played.newWork() == [.code(.request("ann@example.org"))])
  }

  @Test("D10 C8 · rules that ask the server block no field: the controller checks each submission")
  func askedRules() {
    var rules = RuleSet.standard
    for field in [FieldName.email, .phone, .name] {
      rules[field].rules.append(Rule(.asked("emailFree")))
    }
    var played = Played(CodeRegistration(by: .phone, rules))
    played.send(.code(.contact(.typed("+49 170 1234567"))))
    #expect(played.screen.canSubmit)
    played.send(.code(.contact(.submit)))
    played.answer(.code(.requested(.success(ticket))))
    played.send(.code(.code(.typed("123456"))))
    played.answer(.code(.verified(.success(.personalDataNeeded))))
    played.send(
      .typed(.name, "Ann"), .typed(.email, "ann@example.org"), .typed(.password, password),
      .typed(.passwordAgain, password),
      .typed(.accept, FieldKind.on))
    #expect(played.screen.canSubmit)
  }

  @Test("D10 D5 · everything is locked while a code is checked or the account is created")
  func loading() {
    var played = Played(CodeRegistration(by: .email, .standard, to: "ann@example.org"))
    played.answer(.code(.requested(.success(ticket))))
    _ = played.newOutputs()
    played.send(.code(.code(.typed("123456"))), .code(.code(.typed("1"))), .code(.back))
    #expect(played.screen.flow.code?.code == "123456" && played.screen.isLoading)
    #expect(played.newOutputs() == [.code(.code(.loading(true)))])
    played = submitted()
    played.send(.submit, .typed(.name, "Eve"))
    #expect(played.newWork().count == 1 && played.screen.form.text(.name) == "Ann")
  }

  @Test("D10 · two different passwords are both cleared before anything is sent")
  func mismatch() {
    var played = verified(.email, "ann@example.org")
    _ = played.newWork()
    played.send(.typed(.name, "Ann"), .typed(.password, password), .typed(.passwordAgain, "x"))
    played.send(.submit)
    #expect(played.newWork() == [] && played.screen.form.text(.password) == "")
    #expect(played.screen.failure?.field == "passwordAgain")
  }
}
