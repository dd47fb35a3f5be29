import Devices
import Validation

/// Brings the questions of rules to who can answer them (C8).
///
/// `Form` decides which answer counts; this sees to it that of one field and question only the newest
/// is under way: the one before is cancelled, and who types on is not asked about at all.
actor AsyncRuleEvaluator {
  /// Answers a question about a text.
  typealias Answerer =
    @Sendable (_ question: String, _ text: String) async throws(ScreenFailure)
    -> Bool

  /// Waited out before a question is asked, so that a person can go on typing.
  static let pause = Duration.milliseconds(300)

  private struct Subject: Hashable {
    let field: FieldName
    let question: String

    init(_ ticket: Question.Ticket) { (field, question) = (ticket.field, ticket.question) }
  }

  private let clock: any TheaterClock
  private let answerer: Answerer
  private var asking: [Question.Ticket: Task<Result<Bool, ScreenFailure>?, Never>] = [:]
  /// The newest that was asked or withdrawn: a withdrawal may come here first.
  private var newest: [Subject: Int] = [:]

  init(clock: any TheaterClock, _ answerer: @escaping Answerer) {
    self.clock = clock
    self.answerer = answerer
  }

  /// The answer to a question; nil where it was withdrawn, or nobody waits for it any more.
  func answer(_ question: Question) async -> Result<Bool, ScreenFailure>? {
    let ticket = question.ticket
    guard ticket.number > newest[Subject(ticket), default: 0] else { return nil }
    for older in asking.keys where Subject(older) == Subject(ticket) { cancel(older) }
    newest[Subject(ticket)] = ticket.number
    // A task of its own: it must be possible to cancel it alone.
    let task = Task { [clock, answerer] () -> Result<Bool, ScreenFailure>? in
      guard (try? await clock.sleep(until: clock.now() + Self.pause)) != nil else { return nil }
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

  /// Cancels the question, whether it has come already or comes later.
  func withdraw(_ ticket: Question.Ticket) {
    newest[Subject(ticket)] = max(newest[Subject(ticket), default: 0], ticket.number)
    cancel(ticket)
  }

  private func cancel(_ ticket: Question.Ticket) { asking.removeValue(forKey: ticket)?.cancel() }
}
