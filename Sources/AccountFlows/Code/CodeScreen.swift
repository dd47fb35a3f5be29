import Platform

/// The screen for a one-time code: submits a complete code by itself, offers a new one when the
/// countdown is over, and stays open after every error.
public struct CodeScreen: ScreenModel {
  /// An action of the person.
  public enum Input: Sendable, ConcealedInput {
    /// The text of the field after a keystroke.
    case typed(String)
    /// The button, or Enter.
    case submit
    /// Requests another code.
    case sendAgain
  }

  /// A notification for the front end.
  public enum Output: Sendable, Hashable {
    /// The code was accepted.
    case authorized(Authorization)
    /// True from a submission or a request for a new code until its answer.
    case loading(Bool)
    /// The error of any request; none ends the screen.
    case failure(ScreenFailure)
    /// Seconds left, 0 inclusive.
    case countdown(Int)
    /// Whether the countdown runs. Another code can be requested only while it does not.
    case countdownIsRunning(Bool)
    /// A new code was sent; the old one is void.
    case newCodeRequested
  }

  /// A request to the service or the clock.
  public enum Work: Sendable, Hashable {
    /// Verifies a code, with the request of its ticket.
    case verify(String, request: String = "")
    /// Requests another code for the same destination; the answer has a new ticket.
    case sendAgain
    /// Answers `ticked` at this monotonic time.
    case tick(at: Duration)
  }

  /// The result of a `Work`.
  public enum Answer: Sendable {
    /// The code was accepted or refused, or could not be checked.
    case verified(Result<Authorization, ScreenFailure>)
    /// Another code was sent, or could not be sent; a refusal may start the countdown.
    case sent(Result<CodeTicket, ScreenFailure>)
    case ticked
  }

  /// How a complete code is submitted.
  public enum Submission: Sendable {
    /// By its last digit.
    case automatic
    /// By the button.
    case button
  }

  /// The ticket of the newest code.
  public private(set) var ticket: CodeTicket
  /// Whether a code is being checked or another one requested.
  public private(set) var isLoading = false
  /// The error of the last request, until the next one.
  public private(set) var failure: ScreenFailure?
  /// The result of the accepted code; nil until a code is accepted.
  public private(set) var authorization: Authorization?
  /// The attempts that this code has left; nil when unknown.
  public private(set) var triesLeft: Int?
  private let submission: Submission
  private var entry: CodeEntry
  private var timer = Countdown()
  private var isTicking = false

  /// - Parameter submission: How a complete code is submitted.
  public init(_ ticket: CodeTicket, submission: Submission = .automatic) {
    self.ticket = ticket
    self.submission = submission
    entry = CodeEntry(ticket)
  }

  /// The text of the field.
  public var code: String { entry.text }

  /// Whether the code was accepted.
  public var isOver: Bool { authorization != nil }
  /// Whether the field is locked.
  public var isLocked: Bool { isLoading || isOver }
  /// Seconds until "send again" appears; 0 when it is there.
  public var countdown: Int { timer.remaining }
  /// Whether the button is enabled.
  public var canSubmit: Bool { !isLocked && entry.canSubmit }
  /// Whether another code can be requested.
  public var canSendAgain: Bool { !isLocked && !timer.isRunning && ticket.wait != nil }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .appeared: startCountdown(at: now)
    case .input(.typed(let text)): type(text)
    case .input(.submit): canSubmit ? submit() : []
    case .input(.sendAgain): canSendAgain ? sendAgain(at: now) : []
    case .answer(.verified(let result)): finishVerification(result)
    case .answer(.sent(let result)): finishSending(result, at: now)
    case .answer(.ticked): tick(at: now)
    }
  }

  // MARK: Another code

  /// Expects the code of another ticket and restarts the countdown.
  mutating func begin(_ ticket: CodeTicket, at now: Duration) -> [Effect] {
    self.ticket = ticket
    reopen()
    return startCountdown(at: now)
  }

  /// Expects a code of the same ticket again; the countdown goes on.
  /// - Parameter failure: Why the accepted code is no longer valid; nil if it is still valid.
  mutating func reopen(after failure: ScreenFailure? = nil) {
    entry = CodeEntry(ticket)
    self.failure = failure
    (authorization, triesLeft) = (nil, nil)
  }

  // MARK: The code

  private mutating func type(_ text: String) -> [Effect] {
    guard !isLocked, entry.type(text) else { return [] }
    failure = nil
    return submission == .automatic && entry.isWhole ? submit() : []
  }

  private mutating func submit() -> [Effect] {
    beginLoading() + [.start(.verify(code, request: ticket.request))]
  }

  private mutating func finishVerification(
    _ result: Result<Authorization, ScreenFailure>
  ) -> [Effect] {
    switch result {
    case .success(let authorization):
      self.authorization = authorization
      return endLoading() + [.emit(.authorized(authorization))]
    case .failure(let failure):
      // A refused code is cleared; one that did not arrive may be correct.
      if case .refused(let refusal) = failure {
        entry.clear()
        triesLeft = refusal.triesLeft
      }
      return endLoading(with: failure)
    }
  }

  // MARK: A new code

  private mutating func sendAgain(at now: Duration) -> [Effect] {
    beginLoading() + [.start(.sendAgain)] + startCountdown(at: now)
  }

  private mutating func finishSending(
    _ result: Result<CodeTicket, ScreenFailure>, at now: Duration
  ) -> [Effect] {
    switch result {
    case .success(let ticket):
      let wait = self.ticket.wait
      self.ticket = ticket
      entry = CodeEntry(ticket)
      triesLeft = nil
      // The controller may have increased the wait.
      let countdown = ticket.wait == wait ? [] : startCountdown(at: now)
      return endLoading() + [.emit(.newCodeRequested)] + countdown
    case .failure(let failure):
      guard case .refused(let refusal) = failure, let wait = refusal.retryAfter else {
        return endLoading(with: failure)
      }
      return endLoading(with: failure) + startCountdown(of: CodeTicket.bounded(wait), at: now)
    }
  }

  // MARK: One request at a time

  private mutating func beginLoading() -> [Effect] {
    isLoading = true
    failure = nil
    return [.emit(.loading(true))]
  }

  private mutating func endLoading(with failure: ScreenFailure? = nil) -> [Effect] {
    isLoading = false
    self.failure = failure
    return [.emit(.loading(false))] + (failure.map { [.emit(.failure($0))] } ?? [])
  }

  // MARK: The countdown

  /// Starts the countdown of the ticket, if another code can be sent.
  private mutating func startCountdown(at now: Duration) -> [Effect] {
    ticket.wait.map { startCountdown(of: $0, at: now) } ?? []
  }

  private mutating func startCountdown(of seconds: Int, at now: Duration) -> [Effect] {
    timer.start(seconds, at: now)
    return [.emit(.countdownIsRunning(timer.isRunning)), .emit(.countdown(seconds))] + nextTick()
  }

  private mutating func tick(at now: Duration) -> [Effect] {
    isTicking = false
    guard timer.tick(at: now) else { return nextTick() }
    let end: [Effect] = timer.isRunning ? [] : [.emit(.countdownIsRunning(false))]
    return [.emit(.countdown(timer.remaining))] + end + nextTick()
  }

  /// Requests the next tick unless one is pending; a pending one serves a restarted countdown too.
  private mutating func nextTick() -> [Effect] {
    guard timer.isRunning, !isTicking else { return [] }
    isTicking = true
    return [.start(.tick(at: timer.nextTick))]
  }
}

extension CodeScreen {
  /// Returns a driver that runs the screen with a service and a clock, for a code that cannot be
  /// sent again.
  public func driver(
    service: some CodeService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<CodeScreen> {
    driver(service, clock) { nil }
  }

  /// Returns a driver that runs the screen for a code that was sent to `contact` and can be sent
  /// there again.
  public func driver(
    service: some CodeService & CodeRequestService, contact: String,
    clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<CodeScreen> {
    driver(service, clock) {
      .sent(
        await Result(of: { () throws(ScreenFailure) in
          try await service.requestCode(for: contact)
        }))
    }
  }

  private func driver(
    _ service: some CodeService, _ clock: some TheaterClock,
    sendAgain: @escaping @Sendable () async -> Answer?
  ) -> ScreenDriver<CodeScreen> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .verify(let code, let request):
        .verified(
          await Result(of: { () throws(ScreenFailure) in
            try await service.verify(code, request: request)
          }))
      case .sendAgain: await sendAgain()
      case .tick(let deadline):
        (try? await clock.sleep(until: deadline)) == nil ? nil : .ticked
      }
    }
  }
}

/// A countdown in whole seconds to 0 inclusive.
struct Countdown: Sendable {
  /// Seconds left, rounded up.
  private(set) var remaining = 0
  private var end = Duration.zero

  var isRunning: Bool { remaining > 0 }

  /// When `remaining` changes next.
  var nextTick: Duration { end - .seconds(remaining - 1) }

  mutating func start(_ seconds: Int, at now: Duration) {
    remaining = seconds
    end = now + .seconds(seconds)
  }

  /// Updates the remaining seconds.
  /// - Returns: Whether they have changed.
  mutating func tick(at now: Duration) -> Bool {
    let left = max(end - now, .zero)
    let seconds = Int(left.components.seconds) + (left.components.attoseconds > 0 ? 1 : 0)
    guard seconds < remaining else { return false }
    remaining = seconds
    return true
  }
}
