import AccountFlows
import Testing
import Validation

@Suite("the form for a new access token") struct AccessTokenScreenTests {
  private func played() -> Played<AccessTokenScreen> {
    var played = Played(AccessTokenScreen())
    played.send(.typed(.name, "doorbell"), .typed(.permissions, "pause, resume"))
    return played
  }

  @Test("B8 · a name, what it may do and a number of days enable the button")
  func submits() {
    var played = Played(AccessTokenScreen())
    #expect(!played.screen.canSubmit && played.screen.form.number(.days) == 90)
    played.send(.submit)
    #expect(played.screen.form[.name]?.display == .invalidShown && !played.screen.isOver)
    played.send(.typed(.name, "doorbell"), .typed(.permissions, "pause, resume"))
    #expect(played.newOutputs() == [.canSubmit(true)])
    played.send(.typed(.days, "365"), .submit)
    let token = NewAccessToken("doorbell", may: ["pause", "resume"], days: 365)
    #expect(played.screen.token == token && played.newOutputs().last == .chosen(token))
  }

  @Test(
    "B8 · a number that is not a whole one from 1 to 730 disables the button and says why",
    arguments: ["", "0", "731", "-1", "12.5", "1e2", "many", " 9"])
  func days(text: String) {
    var played = played()
    played.send(.typed(.days, text), .left(.days))
    #expect(!played.screen.canSubmit)
    let message = text == "12.5" ? "a whole number" : "a number from 1 to 730"
    #expect(played.screen.form[.days]?.message == "Give the number of days as \(message).")
  }
}
