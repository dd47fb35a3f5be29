import AccountFlows
import Testing
import Validation

@Suite("the start of a registration, event by event") struct RegistrationStartTests {
  @Test("D10 B8 · the code and two choices gate the button and say how the registration begins")
  func choices() {
    typealias Start = RegistrationStart
    let ways: [(kind: Start.Kind, beginning: Start.Beginning, RegistrationWay)] = [
      (.invitation, .name, .byName(.invitation("c"))),
      (.invitation, .email, .byCode(.email, invitation: "c")),
      (.invitation, .phone, .byCode(.phone, invitation: "c")),
      (.setupCode, .name, .byName(.setupCode("c"))),
      // The first owner has no choice.
      (.setupCode, .phone, .byName(.setupCode("c"))),
    ]
    for (kind, beginning, way) in ways {
      var played = Played(RegistrationStart())
      #expect(!played.screen.canSubmit)
      played.send(
        .typed(Start.beginning, beginning.rawValue), .typed(Start.kind, kind.rawValue), .submit)
      #expect(
        played.screen.way == nil && played.screen.fields.count == (kind == .invitation ? 3 : 2))
      #expect(played.screen.form[Start.code]?.display == .invalidShown)
      played.send(.typed(Start.code, "c"))
      #expect(played.newOutputs() == [.canSubmit(true)])
      played.send(.submit)
      #expect(played.newOutputs() == [.canSubmit(false), .chosen(way)])
      #expect(played.screen.isOver && played.screen.way == way)
      played.send(.typed(Start.code, ""), .submit)
      #expect(played.newOutputs() == [])
    }
  }

  @Test("B8 · a value outside the choice's options leaves the button disabled")
  func noOption() {
    var played = Played(RegistrationStart())
    played.send(.typed(RegistrationStart.code, "c"), .typed(RegistrationStart.kind, "nonsense"))
    #expect(!played.screen.canSubmit)
    played.send(.submit)
    #expect(played.screen.way == nil)
  }

  @Test("D10 · no description shows the code")
  func redacted() {
    let ways: [RegistrationWay] = [
      .byName(.setupCode("sesame")), .byCode(.email, invitation: "sesame"),
    ]
    for way in ways {
      var text = "\(way) \(RegistrationCode.invitation("sesame"))"
      dump(way, to: &text)
      #expect(!text.contains("sesame"))
    }
  }
}
