/// How a code reaches a person.
package enum CodeChannel: String, Sendable, CaseIterable {
  case email, phone

  /// Its key in devices.json.
  package var key: String {
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

/// Where a code goes.
package enum CodeDestination: Hashable, Sendable {
  case email(EmailAddress)
  case phone(PhoneNumber)

  package var channel: CodeChannel {
    switch self {
    case .email: .email
    case .phone: .phone
    }
  }

  /// The address or number, as a message wants it.
  package var text: String {
    switch self {
    case .email(let address): address.text
    case .phone(let number): number.text
    }
  }
}

/// A message with a code, ready to be sent.
package struct CodeMessage: Sendable, Redacted {
  package let destination: CodeDestination
  /// A line of ASCII without the code, for where there is a subject.
  package let subject: String
  /// One paragraph with the code, short enough for one text message (160 ASCII characters).
  package let text: String

  package init(destination: CodeDestination, subject: String, text: String) {
    self.destination = destination
    self.subject = subject
    self.text = text
  }

  init(_ code: OneTimeCode, to destination: CodeDestination, for purpose: CodePurpose) {
    self.init(
      destination: destination, subject: "Your code for the home theater",
      text: "\(code.text) is your code to \(purpose.words). It is good once, for ten minutes. "
        + "If you did not ask for it, do nothing.")
  }
}

extension CodePurpose {
  /// What a person does with it: "a code to …".
  fileprivate var words: String {
    switch self {
    case .verifyEmail: "confirm this e-mail address"
    case .verifyPhone: "confirm this number"
    case .resetPassword: "set a new password"
    case .logIn: "log in to the home theater"
    }
  }
}

/// Sends codes to people (D9). What sends is a plug: SMTP, an SMS gateway, the log.
package protocol CodeDelivery: Sendable {
  /// Whether it sends to such places at all.
  func reaches(_ channel: CodeChannel) -> Bool

  /// Sends a message, and returns when the next server has taken it.
  /// - Throws: `deliveryFailed` with what to check; `busy`, `cancelled`.
  func deliver(_ message: CodeMessage) async throws(AccountError)

  /// Takes a message to be sent after the answer; whether it was sent stands in the log.
  func post(_ message: CodeMessage)
}

/// Sends nothing, where nothing is configured.
package struct NoDelivery: CodeDelivery {
  package init() {}
  package func reaches(_ channel: CodeChannel) -> Bool { false }
  package func deliver(_ message: CodeMessage) async throws(AccountError) {
    throw .deliveryUnavailable(message.destination.channel)
  }
  package func post(_ message: CodeMessage) {}
}
