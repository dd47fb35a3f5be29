import Testing

@testable import Validation

@Suite struct QuestionTests {
  private static let email = FieldDeclaration(
    "email", rules: [Rule(.email), Rule(.asked("free"))])
  private var form = Form(
    [email], groups: [FormGroup("all", fields: ["email"], controls: ["go"])])

  private func question(_ changes: [FormChange]) -> Question? {
    changes.lazy.compactMap { if case .ask(let question) = $0 { question } else { nil } }.first
  }

  private func withdrawn(_ changes: [FormChange]) -> [Question.Ticket] {
    changes.compactMap { if case .withdraw(let ticket) = $0 { ticket } else { nil } }
  }

  @Test("C8 · a question is asked once the other rules are satisfied, and its answer decides")
  mutating func asks() throws {
    #expect(question(form.send(.type("email", "anna"))) == nil)
    #expect(form["email"]?.display == .invalidHidden)
    let asked = try #require(question(form.send(.type("email", "anna@example.org"))))
    #expect(asked.text == "anna@example.org")
    #expect(form["email"]?.display == .editing)
    #expect(!form.isEnabled("go"))
    let answered = form.send(.answered(asked.ticket, true))
    #expect(answered.contains(.control("go", isEnabled: true)))
    #expect(withdrawn(answered).isEmpty)
    #expect(form["email"]?.display == .valid)
  }

  @Test("C8 · an answer to an older question changes nothing")
  mutating func newest() throws {
    let first = try #require(question(form.send(.type("email", "anna@example.org"))))
    let changes = form.send(.type("email", "ben@example.org"))
    let second = try #require(question(changes))
    #expect(withdrawn(changes) == [first.ticket])
    #expect(form.send(.answered(first.ticket, true)).isEmpty)
    #expect(form["email"]?.isValid == false)
    _ = form.send(.answered(second.ticket, false))
    #expect(form["email"]?.isValid == false)
    #expect(form.send(.answered(second.ticket, true)).isEmpty)
  }

  @Test("C8 · a text that no longer satisfies the other rules withdraws the question")
  mutating func withdraws() throws {
    let asked = try #require(question(form.send(.type("email", "anna@example.org"))))
    #expect(withdrawn(form.send(.type("email", "anna@example"))) == [asked.ticket])
    #expect(form.send(.answered(asked.ticket, true)).isEmpty)
    let again = try #require(question(form.send(.type("email", "anna@example.org"))))
    #expect(again.ticket.number > asked.ticket.number)
  }

  @Test("C8 · an answer holds for its text alone, and the same text is not asked twice in a row")
  mutating func remembered() throws {
    let asked = try #require(question(form.send(.type("email", "anna@example.org"))))
    _ = form.send(.answered(asked.ticket, false))
    #expect(form["email"]?.message == "Choose another email: this one cannot be taken.")
    #expect(form.send(.type("email", "anna@example.org")).isEmpty)
    #expect(question(form.send(.type("email", "anna@example.com"))) != nil)
  }

  @Test("C8 · without an answer the rule stays undecided, and submitting asks again")
  mutating func failure() throws {
    let asked = try #require(question(form.send(.type("email", "anna@example.org"))))
    #expect(form.send(.answered(asked.ticket, nil)).isEmpty)
    #expect(form["email"]?.display == .editing)
    let again = try #require(question(form.send(.submit("all"))))
    #expect(form.send(.answered(again.ticket, true)).contains(.control("go", isEnabled: true)))
  }

  @Test("C8 · removing a field withdraws its question")
  mutating func removed() throws {
    let asked = try #require(question(form.send(.type("email", "anna@example.org"))))
    #expect(withdrawn(form.remove(field: "email")) == [asked.ticket])
    #expect(form.send(.answered(asked.ticket, true)).isEmpty)
  }
}
