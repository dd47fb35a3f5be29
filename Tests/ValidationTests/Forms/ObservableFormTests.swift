import Synchronization
import TestSupport
import Testing

@testable import Validation

@Suite("a form with subscribers", .timeLimit(.minutes(5))) struct ObservableFormTests {
  private let form = ObservableForm(
    Form(
      [
        FieldDeclaration("email", rules: [Rule(.email)]),
        FieldDeclaration("password", isSecret: true),
      ],
      groups: [FormGroup("login", fields: ["email", "password"], controls: ["button"])]))

  @Test("B3 · every subscriber of a group gets its validity once, then only changes")
  func validity() async {
    var early = [form.validity(of: "login").makeAsyncIterator()]
    early.append(form.validity(of: "login").makeAsyncIterator())
    form.send(.type("email", "anna@example.org"))
    form.send(.type("password", "x"))
    var late = form.validity(of: "login").makeAsyncIterator()
    // Valid before and after: no change.
    form.send(.type("password", "xy"))
    form.send(.type("email", "anna@"))
    for index in early.indices {
      #expect(await early[index].next() == false)
      #expect(await early[index].next() == true)
      #expect(await early[index].next() == false)
    }
    #expect(await late.next() == true)
    #expect(await late.next() == false)
  }

  @Test("B3 · a new subscriber begins with the current state")
  func currentState() async {
    form.send(.type("email", "anna@example.org"))
    let expected = form.form.everything
    var changes: [FormChange] = []
    for await change in form.changes() {
      changes.append(change)
      if changes.count == expected.count { break }
    }
    #expect(changes == expected)
  }

  @Test("B3 · a subscriber that ends is removed, and the others go on")
  func ended() async {
    var kept = form.validity(of: "login").makeAsyncIterator()
    #expect(await kept.next() == false)
    let ended = Task { for await _ in form.changes() { break } }
    await ended.value
    while form.subscribers > 1 { await Task.yield() }
    form.send(.type("email", "anna@example.org"))
    form.send(.type("password", "x"))
    #expect(await kept.next() == true)
  }

  @Test("N-B4 · a form is freed with its last reference, whatever its subscribers did")
  func freed() async {
    weak var freed: ObservableForm?
    do {
      let form = ObservableForm(
        Form(
          [FieldDeclaration("email", rules: [Rule(.email)])],
          groups: [FormGroup("login", fields: ["email"], controls: ["button"])]))
      freed = form
      // One never reads, one ends, and one waits.
      let unread = form.validity(of: "login")
      let ended = Task { [changes = form.changes()] in for await _ in changes { break } }
      await ended.value
      let waiting = Task { [changes = form.changes()] in for await _ in changes {} }
      form.send(.type("email", "anna@example.org"))
      waiting.cancel()
      await waiting.value
      withExtendedLifetime(unread) {}
    }
    #expect(freed == nil)
  }

  @Test("B3 · a subscriber that ends while another gets an event blocks neither")
  func endingDuringNotification() async {
    let form = form
    let isValid = Mutex(false)
    let passes = await PausedNotification.permitsCancellation { onNotification in
      for await _ in form.changes() { onNotification() }
    } notify: {
      let address = isValid.withLock { isValid in
        isValid.toggle()
        return isValid ? "anna@example.org" : "anna"
      }
      form.send(.type("email", address))
    }
    #expect(passes)
  }

  @Test("B3 · all subscribers get the changes of many tasks in the same order")
  func manyTasks() async {
    let first = form.changes()
    let second = form.changes()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask { [form] in form.send(.type("password", "\(number)")) }
        group.addTask { [form] in form.send(.type("password", "")) }
      }
    }
    form.send(.reset("email", to: "anna@example.org"))
    form.send(.type("password", "end"))
    func collected(_ changes: AsyncStream<FormChange>) async -> [FormChange] {
      var all: [FormChange] = []
      for await change in changes {
        all.append(change)
        if change == .group("login", isValid: true) { break }
      }
      return all
    }
    #expect(await collected(first) == collected(second))
  }
}
