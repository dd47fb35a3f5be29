import Platform
import Validation

/// The flow from an address or number to an accepted code (D1): the screen for the destination, the
/// screen for the code, and the way back.
public struct CodeFlow: ScreenModel {
  /// The current screen: for the destination, or for the code.
  public enum Step: Sendable, Hashable {
    case contact, code
  }

  /// An action of the person on either screen.
  public enum Input: Sendable, ConcealedInput {
    /// An input of the screen for the destination.
    case contact(CodeRequestScreen.Input)
    /// An input of the screen for the code; ignored while that screen is not shown.
    case code(CodeScreen.Input)
    /// Goes back from the code to the destination.
    case back
  }

  /// A notification for the front end.
  public enum Output: Sendable, Hashable {
    /// The other screen is shown.
    case step(Step)
    /// An output of the screen for the destination.
    case contact(CodeRequestScreen.Output)
    /// An output of the screen for the code.
    case code(CodeScreen.Output)
  }

  /// A request to the service or the clock.
  public enum Work: Sendable, Hashable {
    /// Sends a code to this address or number.
    case request(String)
    /// Checks a code, with the request of its ticket.
    case verify(String, request: String)
    /// Answers `ticked` at this monotonic time.
    case tick(at: Duration)
  }

  /// The result of a `Work`.
  public enum Answer: Sendable {
    /// A code was sent, or could not be sent.
    case requested(Result<CodeTicket, ScreenFailure>)
    /// The code was accepted or refused, or could not be checked.
    case verified(Result<Authorization, ScreenFailure>)
    case ticked
  }

  /// The screen that is shown.
  public private(set) var step = Step.contact
  /// The screen for the destination; keeps its text on the way back.
  public private(set) var contactScreen: CodeRequestScreen
  /// The screen for the code; nil until the first code was sent.
  public private(set) var code: CodeScreen?
  /// The destination of the newest code.
  public private(set) var sentTo: String?
  private let sendsAtOnce: Bool

  /// - Parameters:
  ///   - declaration: The field for a phone number or an e-mail address.
  ///   - contact: The destination of the first code, sent at once; nil to ask the person.
  public init(_ declaration: FieldDeclaration, contact: String? = nil) {
    contactScreen = CodeRequestScreen(declaration, text: contact ?? "")
    sendsAtOnce = contact != nil
  }

  public var isLoading: Bool {
    switch step {
    case .contact: contactScreen.isLoading
    case .code: code?.isLoading ?? false
    }
  }
  /// Whether a code was accepted.
  public var isOver: Bool { authorization != nil }
  /// Whether nothing can be typed or pressed.
  public var isLocked: Bool { isLoading || isOver }
  /// The result of the accepted code; nil until a code is accepted.
  public var authorization: Authorization? { code?.authorization }
  /// Whether the button of the current screen is enabled.
  public var canSubmit: Bool {
    switch step {
    case .contact: contactScreen.canSubmit
    case .code: code?.canSubmit ?? false
    }
  }
  /// The error of the current screen.
  public var failure: ScreenFailure? {
    switch step {
    case .contact: contactScreen.failure
    case .code: code?.failure
    }
  }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .appeared: sendsAtOnce ? sendToContactScreen(.input(.submit), at: now) : []
    case .input(let input): isLocked ? [] : handle(input, at: now)
    case .answer(.requested(let result)): finishRequest(result, at: now)
    case .answer(.verified(let result)): sendToCode(.answer(.verified(result)), at: now)
    case .answer(.ticked): sendToCode(.answer(.ticked), at: now)
    }
  }

  /// Expects a code again; the countdown goes on.
  /// - Parameter failure: Why the accepted code is no longer valid; nil if it is still valid.
  mutating func reopen(after failure: ScreenFailure? = nil) { code?.reopen(after: failure) }

  private mutating func handle(_ input: Input, at now: Duration) -> [Effect] {
    switch (step, input) {
    case (.contact, .contact(.submit)) where isOnItsWay: return show(.code)
    case (.contact, .contact(let input)): return sendToContactScreen(.input(input), at: now)
    case (.code, .code(let input)): return sendToCode(.input(input), at: now)
    case (.code, .back):
      contactScreen.reopen()
      return show(.contact)
    default: return []  // An input of the screen that is not shown.
    }
  }

  /// Whether a code was sent to this destination, and no other can be sent yet.
  private var isOnItsWay: Bool { sentTo == contactScreen.contact && (code?.countdown ?? 0) > 0 }

  private mutating func show(_ step: Step) -> [Effect] {
    self.step = step
    return [.emit(.step(step))]
  }

  /// Applies the answer to a request for a code. The current screen requested it: the flow is
  /// locked until the answer.
  private mutating func finishRequest(
    _ result: Result<CodeTicket, ScreenFailure>, at now: Duration
  ) -> [Effect] {
    guard step == .contact else { return sendToCode(.answer(.sent(result)), at: now) }
    let effects = sendToContactScreen(.answer(.requested(result)), at: now)
    guard let ticket = contactScreen.ticket else { return effects }
    sentTo = contactScreen.contact
    return effects + show(.code) + begin(ticket, at: now)
  }

  private mutating func begin(_ ticket: CodeTicket, at now: Duration) -> [Effect] {
    if var screen = code {
      let effects = screen.begin(ticket, at: now)
      code = screen
      return effects.compactMap(codeEffect)
    }
    code = CodeScreen(ticket)
    return sendToCode(.appeared, at: now)
  }

  // MARK: The two screens

  private mutating func sendToContactScreen(
    _ event: CodeRequestScreen.Event, at now: Duration
  ) -> [Effect] {
    contactScreen.receive(event, at: now).map { effect in
      switch effect {
      case .emit(let output): .emit(.contact(output))
      case .start(.request(let contact)): .start(.request(contact))
      }
    }
  }

  private mutating func sendToCode(_ event: CodeScreen.Event, at now: Duration) -> [Effect] {
    (code?.receive(event, at: now) ?? []).compactMap(codeEffect)
  }

  private func codeEffect(_ effect: CodeScreen.Effect) -> Effect? {
    switch effect {
    case .emit(let output): .emit(.code(output))
    case .start(.verify(let code, let request)): .start(.verify(code, request: request))
    case .start(.tick(let deadline)): .start(.tick(at: deadline))
    case .start(.sendAgain): sentTo.map { .start(.request($0)) }
    }
  }
}

extension CodeFlow {
  /// Returns a driver that runs the flow with a service, and with a clock for its countdown.
  public func driver(
    _ service: some CodeService & CodeRequestService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<CodeFlow> {
    ScreenDriver(self, clock: clock) { await Self.perform($0, by: service, clock) }
  }

  /// Performs the flow's work; nil if the screen ended first.
  static func perform(
    _ work: Work, by service: some CodeService & CodeRequestService, _ clock: some TheaterClock
  ) async -> Answer? {
    switch work {
    case .request(let contact):
      .requested(
        await Result(of: { () throws(ScreenFailure) in
          try await service.requestCode(for: contact)
        }))
    case .verify(let code, let request):
      .verified(
        await Result(of: { () throws(ScreenFailure) in
          try await service.verify(code, request: request)
        }))
    case .tick(let deadline):
      (try? await clock.sleep(until: deadline)) == nil ? nil : .ticked
    }
  }
}
