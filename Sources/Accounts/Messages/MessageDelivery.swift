/// How a message reaches a person.
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

/// Where a message goes.
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

  /// The form in which destinations are compared.
  var key: String {
    switch self {
    case .email(let address): address.key
    case .phone(let number): number.text
    }
  }
}

/// A message to a person about their account, with a code or a notice in it, ready to be sent.
package struct AccountMessage: Sendable, Redacted {
  package let destination: CodeDestination
  /// A line of ASCII without any code, for where there is a subject.
  package let subject: String
  /// One paragraph, short enough for one text message (160 ASCII characters).
  package let text: String

  package init(destination: CodeDestination, subject: String, text: String) {
    self.destination = destination
    self.subject = subject
    self.text = text
  }
}

/// Brings messages to people (D9). What sends is a plug: SMTP, an SMS gateway, the log.
package protocol MessageDelivery: Sendable {
  /// Whether it sends to such places at all.
  func reaches(_ channel: CodeChannel) -> Bool

  /// Sends a message, and returns when the next server has taken it.
  /// - Throws: `deliveryFailed` with what to check; `busy`, `cancelled`.
  func deliver(_ message: AccountMessage) async throws(AccountError)

  /// Takes a message to be sent after the answer; where it was not sent, the log says why.
  func post(_ message: AccountMessage)
}

/// Sends nothing, where nothing is configured.
package struct NoDelivery: MessageDelivery {
  package init() {}
  package func reaches(_ channel: CodeChannel) -> Bool { false }
  package func deliver(_ message: AccountMessage) async throws(AccountError) {
    throw .deliveryUnavailable(message.destination.channel)
  }
  package func post(_ message: AccountMessage) {}
}
