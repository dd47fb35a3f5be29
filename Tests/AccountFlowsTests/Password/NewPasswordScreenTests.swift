import AccountFlows
import TestSupport
import Testing
import Validation

private let long = "four lions in a cinema"
private let refused = ScreenFailure.refused(
  Refusal("tooShort", field: "newPassword", message: "Too short."))

@Suite struct NewPasswordScreenTests {
  private func played(_ owner: NewPasswordOwner = NewPasswordOwner()) -> Played<NewPasswordScreen> {
    Played(NewPasswordScreen(.standard, for: owner))
  }

  private func type(_ text: String, _ again: String, _ played: inout Played<NewPasswordScreen>) {
    played.send(.typed(.password, text), .typed(.passwordAgain, again))
  }

  private func messages(_ played: Played<NewPasswordScreen>) -> [String] {
    played.screen.form[.password]?.report.results.map(\.message) ?? []
  }

  @Test("C7 · the rules enable the button; a password that satisfies them is set once")
  func set() {
    var played = played()
    #expect(!played.screen.canSubmit)
    type(long, long, &played)
    #expect(played.newOutputs() == [.canSubmit(true)])
    played.send(.submit, .submit, .typed(.password, "x"))
    #expect(played.newOutputs() == [.canSubmit(false), .loading(true)])
    #expect(played.newWork() == [.set(TypedPassword(long))])
    played.answer(.set(.success(())))
    #expect(played.newOutputs() == [.loading(false), .done])
    #expect(played.screen.isOver && played.screen.form.text(.password) == long)
  }

  @Test("C3 C4 · the rules report at every keystroke, and mistakes are shown on submit")
  func rules() {
    var played = played(NewPasswordOwner(hasSecondFactor: false))
    played.send(.typed(.password, "short"))
    #expect(messages(played).first == "Make the password at least 15 characters long.")
    #expect(played.screen.form[.password]?.display == .invalidHidden)
    played.send(.submit)
    #expect(played.screen.form[.password]?.display == .invalidShown)
    #expect(played.work.isEmpty)
  }

  @Test("C8 · clears both passwords when they differ, and sends nothing")
  func mismatch() {
    var played = played()
    type(long, long + "!", &played)
    played.send(.submit)
    #expect(played.screen.failure?.text == "The two passwords differ. Type both again.")
    #expect(NewPasswordScreen.fields.allSatisfy { played.screen.form.text($0).isEmpty })
    #expect(played.work.isEmpty)
    played.send(.typed(.password, "x"))
    #expect(played.screen.failure == nil)
  }

  @Test("A6 · clears a refused password, and keeps one that did not arrive")
  func failures() {
    var played = played()
    for (failure, text) in [(ScreenFailure.network("No answer."), long), (refused, "")] {
      type(long, long, &played)
      played.send(.submit)
      played.answer(.set(.failure(failure)))
      #expect(played.screen.failure == failure && !played.screen.isLocked)
      #expect(played.screen.form.text(.password) == text)
    }
  }

  @Test("C9 · accepts a short password with a warning while the second factor is unknown")
  func secondFactor() {
    for (hasFactor, count, canSubmit) in [
      (nil, 8, true), (true, 8, true), (false, 8, false), (nil, 7, false), (false, 15, true),
    ] as [(Bool?, Int, Bool)] {
      var played = played(NewPasswordOwner(hasSecondFactor: hasFactor))
      let text = String("k84h2m9qw7r5t1x".prefix(count))
      type(text, text, &played)
      #expect(played.screen.canSubmit == canSubmit, "\(hasFactor as Any), \(count)")
    }
    let first = played().screen.form[.password]?.report.results.prefix(2) ?? []
    #expect(first.map(\.isAdvice) == [false, true])
    #expect(first.map(\.message).map { $0.filter(\.isNumber) } == ["8", "15"])
  }

  @Test("C6 · the person's known name and address may not occur in the password")
  func owner() {
    for (owner, canSubmit) in [
      (NewPasswordOwner(), true), (NewPasswordOwner(name: "Lions"), false),
      (NewPasswordOwner(email: "cinema@example.org"), false),
    ] {
      var played = played(owner)
      type(long, long, &played)
      #expect(played.screen.canSubmit == canSubmit)
      // Typed text does not replace a known name or address.
      played.send(.typed(.name, "Eve"), .typed(.email, "eve@example.org"))
      #expect(played.screen.canSubmit == canSubmit)
    }
  }

  @Test("E1 · a typed password appears in no description of the pending work")
  func secret() {
    let work = NewPasswordScreen.Work.set(TypedPassword(long))
    var dumped = ""
    dump(work, to: &dumped)
    #expect(!"\(work)\(String(reflecting: work))\(dumped)".contains("lions"))
  }

  @Test("A9 · shows the service's refusal of a password, and then sets another one")
  func driver() async {
    struct Service: NewPasswordService {
      func set(_ password: TypedPassword) async throws(ScreenFailure) {
        if password.text == long { throw refused }
      }
    }
    await withRunning(NewPasswordScreen(.standard).driver(Service(), clock: ManualClock())) {
      harness in
      for (text, output) in [
        (long, NewPasswordScreen.Output.failure(refused)), (long + "!", .done),
      ] {
        await harness.send(.typed(.password, text))
        await harness.send(.typed(.passwordAgain, text))
        await harness.send(.submit)
        await harness.waitFor(output)
      }
      #expect(harness.screen?.isOver == true)
    }
  }
}
