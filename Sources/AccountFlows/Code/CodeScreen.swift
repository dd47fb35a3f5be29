/// The screen that takes a one-time code: it submits a whole code by itself, offers a new one when
/// the countdown is over, and outlives every error.
package struct CodeScreen: ScreenModel {
  package enum Input: Sendable {
    /// What the field holds after a keystroke.
    case typed(String)
    /// The button, or Enter.
    case submit
    case sendAgain
  }

  package enum Output: Sendable, Hashable {
    case authorized(Authorization)
    /// From a submission or a request for a new code until its answer.
    case loading(Bool)
    /// Of any request; none of them ends the screen.
    case failure(ScreenFailure)
    /// Seconds left, 0 inclusive.
    case countdown(Int)
    case countdownIsRunning(Bool)
    /// A new code is on its way; the old one is void.
    case newCodeRequested
  }

  package enum Work: Sendable, Hashable {
    /// The code, with the request of its ticket.
    case verify(String, request: String = "")
    case sendAgain
    case tick(at: Duration)
  }

  package enum Answer: Sendable {
    case verified(Result<Authorization, ScreenFailure>)
    case sent(Result<CodeTicket, ScreenFailure>)
    case ticked
  }

  /// What submits a whole code.
  package enum Submission: Sendable {
    /// Its last digit.
    case automatic
    /// The button alone.
    case button
  }

  package private(set) var ticket: CodeTicket
  package private(set) var isLoading = false
  /// The error of the last request, until something new is tried.
  package private(set) var failure: ScreenFailure?
  package private(set) var authorization: Authorization?
  /// How often this code may still be mistyped; nil while nobody has said so.
  package private(set) var triesLeft: Int?
  private let submission: Submission
  private var entry: CodeEntry
  private var timer = Countdown()
  private var isTicking = false

  package init(_ ticket: CodeTicket, submission: Submission = .automatic) {
    self.ticket = ticket
    self.submission = submission
    entry = CodeEntry(ticket)
  }

  /// What the field holds.
  package var code: String { entry.text }

  package var isOver: Bool { authorization != nil }
  /// Whether the field takes nothing.
  package var isLocked: Bool { isLoading || isOver }
  /// Seconds until "send again" appears; 0 when it is there.
  package var countdown: Int { timer.remaining }
  package var canSubmit: Bool { !isLocked && entry.canSubmit }
  package var canSendAgain: Bool { !isLocked && !timer.isRunning && ticket.wait != nil }

  package mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .appeared: startCountdown(at: now)
    case .input(.typed(let text)): type(text)
    case .input(.submit): canSubmit ? submit() : []
    case .input(.sendAgain): canSendAgain ? sendAgain(at: now) : []
    case .answer(.verified(let result)): verified(result)
    case .answer(.sent(let result)): sent(result, at: now)
    case .answer(.ticked): tick(at: now)
    }
  }

  // MARK: Once more

  /// Takes the code of another ticket: as it was in the beginning, with the countdown started anew.
  mutating func begin(_ ticket: CodeTicket, at now: Duration) -> [Effect] {
    self.ticket = ticket
    reopen()
    return startCountdown(at: now)
  }

  /// Waits for the code again; the countdown goes on.
  mutating func reopen() {
    entry = CodeEntry(ticket)
    (authorization, failure, triesLeft) = (nil, nil, nil)
  }

  // MARK: The code

  private mutating func type(_ text: String) -> [Effect] {
    guard !isLocked, entry.type(text) else { return [] }
    failure = nil
    return submission == .automatic && entry.isWhole ? submit() : []
  }

  private mutating func submit() -> [Effect] {
    start() + [.start(.verify(code, request: ticket.request))]
  }

  private mutating func verified(_ result: Result<Authorization, ScreenFailure>) -> [Effect] {
    switch result {
    case .success(let authorization):
      self.authorization = authorization
      return end() + [.tell(.authorized(authorization))]
    case .failure(let failure):
      // A code that was refused is of no more use; one that did not arrive may be right.
      if case .refused(let refusal) = failure {
        entry.clear()
        triesLeft = refusal.triesLeft
      }
      return end(with: failure)
    }
  }

  // MARK: A new code

  private mutating func sendAgain(at now: Duration) -> [Effect] {
    start() + [.start(.sendAgain)] + startCountdown(at: now)
  }

  private mutating func sent(_ result: Result<CodeTicket, ScreenFailure>, at now: Duration)
    -> [Effect]
  {
    switch result {
    case .success(let ticket):
      let wait = self.ticket.wait
      self.ticket = ticket
      entry = CodeEntry(ticket)
      triesLeft = nil
      // The controller lets people wait longer from time to time.
      let countdown = ticket.wait == wait ? [] : startCountdown(at: now)
      return end() + [.tell(.newCodeRequested)] + countdown
    case .failure(let failure):
      guard case .refused(let refusal) = failure, let wait = refusal.retryAfter else {
        return end(with: failure)
      }
      return end(with: failure) + startCountdown(of: CodeTicket.bounded(wait), at: now)
    }
  }

  // MARK: One request at a time

  private mutating func start() -> [Effect] {
    isLoading = true
    failure = nil
    return [.tell(.loading(true))]
  }

  private mutating func end(with failure: ScreenFailure? = nil) -> [Effect] {
    isLoading = false
    self.failure = failure
    return [.tell(.loading(false))] + (failure.map { [.tell(.failure($0))] } ?? [])
  }

  // MARK: The countdown

  /// Counts what the ticket says; nothing where nobody sends another code.
  private mutating func startCountdown(at now: Duration) -> [Effect] {
    ticket.wait.map { startCountdown(of: $0, at: now) } ?? []
  }

  private mutating func startCountdown(of seconds: Int, at now: Duration) -> [Effect] {
    timer.start(seconds, at: now)
    return [.tell(.countdownIsRunning(timer.isRunning)), .tell(.countdown(seconds))] + nextTick()
  }

  private mutating func tick(at now: Duration) -> [Effect] {
    isTicking = false
    guard timer.tick(at: now) else { return nextTick() }
    let end: [Effect] = timer.isRunning ? [] : [.tell(.countdownIsRunning(false))]
    return [.tell(.countdown(timer.remaining))] + end + nextTick()
  }

  /// One tick waits at any time; it sees a countdown that was started anew meanwhile.
  private mutating func nextTick() -> [Effect] {
    guard timer.isRunning, !isTicking else { return [] }
    isTicking = true
    return [.start(.tick(at: timer.nextTick))]
  }
}
