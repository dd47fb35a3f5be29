import Platform
import Validation

/// The screen for the destination of a code: a phone number or an e-mail address.
public struct CodeRequestScreen: ScreenModel {
  /// An action of the person.
  public enum Input: Sendable, ConcealedInput {
    /// The text of the field after a keystroke.
    case typed(String)
    /// The button, or Enter.
    case submit
  }

  /// A notification for the front end.
  public enum Output: Sendable, Hashable {
    /// The button was enabled or disabled.
    case canSubmit(Bool)
    /// All controls are disabled, and progress is shown, while it is true.
    case loading(Bool)
    /// The request failed; the screen stays open.
    case failure(ScreenFailure)
    /// The code screen comes next.
    case codeSent(CodeTicket)
  }

  /// A request to the service.
  public enum Work: Sendable, Hashable {
    /// Sends a code to this address or number.
    case request(String)
  }

  /// The result of a `Work`.
  public enum Answer: Sendable {
    /// A code was sent, or could not be sent.
    case requested(Result<CodeTicket, ScreenFailure>)
  }

  private static let group: GroupName = "contact"
  private static let button: ControlName = "send"

  /// The name of the field.
  public let field: FieldName
  /// The form with the one field.
  public private(set) var form: Form
  public private(set) var isLoading = false
  /// The error of the last request, until the next one.
  public private(set) var failure: ScreenFailure?
  /// The sent code; nil before.
  public private(set) var ticket: CodeTicket?

  /// - Parameter declaration: The field for a phone number or an e-mail address.
  public init(_ declaration: FieldDeclaration, text: String = "") {
    field = declaration.name
    form = Form(
      [declaration],
      groups: [FormGroup(Self.group, fields: [declaration.name], controls: [Self.button])],
      values: [declaration.name: text])
  }

  /// Whether a code was sent; the code screen comes next.
  public var isOver: Bool { ticket != nil }
  /// Whether nothing can be typed or pressed.
  public var isLocked: Bool { isLoading || isOver }
  /// Whether the button is enabled.
  public var canSubmit: Bool { !isLocked && form.isEnabled(Self.button) }
  /// The text of the field.
  public var contact: String { form.text(field) }

  /// Accepts a destination again.
  mutating func reopen() { (ticket, failure) = (nil, nil) }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    let before = canSubmit
    let effects =
      switch event {
      case .appeared: [Effect]()
      case .input(let input): isLocked ? [] : handle(input)
      case .answer(.requested(let result)): finishRequest(result)
      }
    return (canSubmit == before ? [] : [.emit(.canSubmit(canSubmit))]) + effects
  }

  private mutating func handle(_ input: Input) -> [Effect] {
    switch input {
    case .typed(let text):
      _ = form.send(.type(field, text))
      return []
    case .submit:
      _ = form.send(.submit(Self.group))
      guard canSubmit else { return [] }
      isLoading = true
      failure = nil
      return [.emit(.loading(true)), .start(.request(contact))]
    }
  }

  private mutating func finishRequest(_ result: Result<CodeTicket, ScreenFailure>) -> [Effect] {
    isLoading = false
    switch result {
    case .success(let ticket):
      self.ticket = ticket
      return [.emit(.loading(false)), .emit(.codeSent(ticket))]
    case .failure(let failure):
      self.failure = failure
      return [.emit(.loading(false)), .emit(.failure(failure))]
    }
  }
}

extension CodeRequestScreen {
  /// Runs the screen with a service that sends codes.
  public func driver(
    _ service: some CodeRequestService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<CodeRequestScreen> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .request(let contact):
        .requested(
          await Result(of: { () throws(ScreenFailure) in
            try await service.requestCode(for: contact)
          }))
      }
    }
  }
}
