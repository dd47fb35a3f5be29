import AccountFlows
import Testing

@Suite struct RecoveryCodeTests {
  @Test("D3 · six digits are submitted at once; a recovery code is submitted with the button")
  func submission() {
    var played = Played(CodeScreen(.secondFactor))
    for text in ["1", "12", "12345", "123 456"] { played.send(.typed(text)) }
    #expect(played.newWork() == [.verify("123456")])
    let refusal = ScreenFailure.refused(Refusal("wrongCredentials", message: "Wrong."))
    played.answer(.verified(.failure(refusal)))
    #expect(played.screen.code.isEmpty && played.screen.failure == refusal)
    #expect(!played.screen.canSubmit)
    played.send(.submit, .typed("abcd-efgh"))
    #expect(played.work.isEmpty && played.screen.canSubmit)
    played.send(.submit)
    #expect(played.newWork() == [.verify("abcd-efgh")])
    played.answer(.verified(.success(.done)))
    #expect(played.screen.isOver)
  }

  @Test("D3 · where no recovery code is accepted, only a complete code can be submitted")
  func codeAlone() {
    var played = Played(CodeScreen(CodeTicket(wait: nil)))
    played.send(.typed("abcd-efgh"), .submit, .typed("12345"), .submit)
    #expect(played.work.isEmpty && !played.screen.canSubmit)
  }
}
