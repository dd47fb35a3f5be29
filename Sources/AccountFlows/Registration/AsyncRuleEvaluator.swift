import Platform
import Validation

/// Evaluates asynchronous rules by a service (C8).
///
/// For one field and question only the newest request runs: the one before is cancelled, and no request
/// starts while the person is typing. `Form` decides which answer counts.
actor AsyncRuleEvaluator {
  /// Answers a question about a text.
  typealias Answerer =
    @Sendable (_ question: String, _ text: String) async throws(ScreenFailure)
    -> Bool

  /// The delay before a request, so that not every keystroke starts one.
  static let pause = Duration.milliseconds(300)

  private struct Subject: Hashable {
    let field: FieldName
    let question: String

    init(_ ticket: Question.Ticket) { (field, question) = (ticket.field, ticket.question) }
  }

  private let clock: any TheaterClock
  private let answerer: Answerer
  private var asking: [Question.Ticket: Task<Result<Bool, ScreenFailure>?, Never>] = [:]
  /// The newest number asked or withdrawn; a withdrawal may arrive before its question.
  private var newest: [Subject: Int] = [:]

  init(clock: any TheaterClock, _ answerer: @escaping Answerer) {
    self.clock = clock
    self.answerer = answerer
  }

  /// Returns the answer to a question; nil when it was withdrawn or the task is cancelled.
  func answer(_ question: Question) async -> Result<Bool, ScreenFailure>? {
    let ticket = question.ticket
    guard ticket.number > newest[Subject(ticket), default: 0] else { return nil }
    for older in asking.keys where Subject(older) == Subject(ticket) { cancel(older) }
    newest[Subject(ticket)] = ticket.number
    // A task of its own, so that it can be cancelled alone.
    let task = Task { [clock, answerer] () -> Result<Bool, ScreenFailure>? in
      guard (try? await clock.sleep(for: Self.pause)) != nil else { return nil }
      let result = await Result(of: { () throws(ScreenFailure) in
        try await answerer(ticket.question, question.text)
      })
      return Task.isCancelled ? nil : result
    }
    asking[ticket] = task
    let answer = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    asking[ticket] = nil
    return answer
  }

  /// Cancels a question, also one that arrives later.
  func withdraw(_ ticket: Question.Ticket) {
    newest[Subject(ticket)] = max(newest[Subject(ticket), default: 0], ticket.number)
    cancel(ticket)
  }

  private func cancel(_ ticket: Question.Ticket) { asking.removeValue(forKey: ticket)?.cancel() }
}
