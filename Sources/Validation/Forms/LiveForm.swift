/// A form that is filled in while others watch, and that asks its questions elsewhere (C3, C8).
///
/// `Form` decides everything; this carries events to it, changes to listeners, and questions to
/// those who can answer. Of one field and question only the newest is under way: the one before is
/// cancelled.
package actor LiveForm {
  /// Answers a question about a text; what it throws means that no answer could be had.
  package typealias Answerer = @Sendable (String) async throws -> Bool

  private var form: Form
  private let answerers: [String: Answerer]
  private let pause: @Sendable () async throws -> Void
  private var asking: [Question.Ticket: Task<Void, Never>] = [:]
  private var listeners: [Int: AsyncStream<[FormChange]>.Continuation] = [:]
  private var lastListener = 0

  /// - Parameters:
  ///   - answerers: By question; nobody answers the others.
  ///   - pause: Waited out before a question is asked, so that a person can go on typing; 300 ms
  ///     unless given.
  package init(
    _ form: Form, answerers: [String: Answerer] = [:],
    pause: @escaping @Sendable () async throws -> Void = {
      try await Task.sleep(for: .milliseconds(300))
    }
  ) {
    self.form = form
    self.answerers = answerers
    self.pause = pause
  }

  deinit {
    for task in asking.values { task.cancel() }
    for listener in listeners.values { listener.finish() }
  }

  /// The form as it is now.
  package var now: Form { form }

  /// Everything as it is, and then what changes, an event at a time.
  package func changes() -> AsyncStream<[FormChange]> {
    lastListener += 1
    let id = lastListener
    let (stream, continuation) = AsyncStream<[FormChange]>.makeStream()
    continuation.onTermination = { [weak self] _ in Task { await self?.forget(id) } }
    continuation.yield(form.everything)
    listeners[id] = continuation
    // Questions that the form had from the beginning are asked when somebody begins to watch.
    for case .ask(let question) in form.everything where asking[question.ticket] == nil {
      ask(question)
    }
    return stream
  }

  /// Takes an event in.
  package func send(_ event: FormEvent) { publish(form.send(event)) }

  private func forget(_ listener: Int) { listeners[listener] = nil }

  private func publish(_ changes: [FormChange]) {
    for change in changes {
      switch change {
      case .withdraw(let ticket): asking.removeValue(forKey: ticket)?.cancel()
      case .ask(let question): ask(question)
      default: break
      }
    }
    guard !changes.isEmpty else { return }
    for listener in listeners.values { listener.yield(changes) }
  }

  private func ask(_ question: Question) {
    let ticket = question.ticket
    guard let answerer = answerers[ticket.question] else { return }
    // A task of its own: it must be possible to cancel it alone, and it may outlast the event.
    asking[ticket] = Task { [weak self, pause] in
      let answer: Bool?
      do {
        try await pause()
        answer = try await answerer(question.text)
      } catch {
        answer = nil
      }
      if !Task.isCancelled { await self?.answered(ticket, answer) }
    }
  }

  private func answered(_ ticket: Question.Ticket, _ answer: Bool?) {
    asking[ticket] = nil
    send(.answered(ticket, answer))
  }
}
