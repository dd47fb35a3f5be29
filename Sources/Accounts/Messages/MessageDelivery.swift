/// A way to send messages to people.
public enum CodeChannel: String, Sendable, CaseIterable {
  case email, phone

  /// Its key in devices.json.
  public var key: String {
    switch self {
    case .email: "email"
    case .phone: "sms"
    }
  }

  var messages: String {
    switch self {
    case .email: "e-mail"
    case .phone: "text messages"
    }
  }
}

/// The address of a message.
public enum CodeDestination: Hashable, Sendable {
  case email(EmailAddress)
  case phone(PhoneNumber)

  /// The way on which messages to it travel.
  public var channel: CodeChannel {
    switch self {
    case .email: .email
    case .phone: .phone
    }
  }

  /// The address or number.
  public var text: String {
    switch self {
    case .email(let address): address.text
    case .phone(let number): number.text
    }
  }

  /// The normalised form, for comparisons.
  var key: String {
    switch self {
    case .email(let address): address.key
    case .phone(let number): number.text
    }
  }
}

/// A message to a person about their account, with a code or a notice.
public struct AccountMessage: Sendable, Redacted {
  /// A verified address or number, or one that is to be verified.
  public let destination: CodeDestination
  /// One line of ASCII without a code, for e-mail.
  public let subject: String
  /// One paragraph, short enough for one text message (160 ASCII characters).
  public let text: String

  public init(destination: CodeDestination, subject: String, text: String) {
    self.destination = destination
    self.subject = subject
    self.text = text
  }
}

/// Sends messages to people (D9): by SMTP, an SMS gateway, or to the log.
public protocol MessageDelivery: Sendable {
  /// Whether the channel is configured.
  func supports(_ channel: CodeChannel) -> Bool

  /// Sends a message, and returns when the next server has accepted it.
  /// - Throws: `deliveryFailed` with what to check; `busy`, `cancelled`.
  func deliver(_ message: AccountMessage) async throws(AccountError)

  /// Sends a message after the current request is answered; failures are logged.
  func enqueue(_ message: AccountMessage)
}

/// Sends nothing, for a theater without configured delivery.
public struct NoDelivery: MessageDelivery {
  public init() {}
  public func supports(_ channel: CodeChannel) -> Bool { false }
  /// - Throws: `deliveryUnavailable`, always.
  public func deliver(_ message: AccountMessage) async throws(AccountError) {
    throw .deliveryUnavailable(message.destination.channel)
  }
  /// Drops the message.
  public func enqueue(_ message: AccountMessage) {}
}

extension AccountMessage {
  /// The message that carries a code.
  /// - Parameter validity: How long the code is valid.
  init(
    _ code: OneTimeCode, to destination: CodeDestination, for purpose: CodePurpose,
    validity: Duration
  ) {
    let seconds = Int(clamping: validity.components.seconds)
    // Rounded down: a code must not be promised for longer than it is valid.
    let time = AccountError.words(seconds < 120 ? seconds : seconds / 60 * 60)
    self.init(
      destination: destination, subject: "Your code for the home theater",
      text: "\(code.text) is your code to \(purpose.words). It is good once, for \(time). "
        + "If you did not ask for it, do nothing.")
  }
}

extension CodePurpose {
  /// The end of the phrase "a code to …".
  fileprivate var words: String {
    switch self {
    case .verifyEmail: "confirm this e-mail address"
    case .verifyPhone: "confirm this number"
    case .resetPassword: "set a new password"
    case .logIn: "log in to the home theater"
    case .register: "register at the home theater"
    }
  }
}
