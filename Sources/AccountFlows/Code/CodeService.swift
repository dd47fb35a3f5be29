/// Where codes are asked for.
package protocol CodeRequestService: Sendable {
  /// Has a code sent to a phone number or an e-mail address; an earlier one is void.
  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket
}

/// Where codes are checked.
package protocol CodeService: Sendable {
  /// Checks a code.
  /// - Parameter request: Of the ticket that it belongs to.
  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization
}

/// What a right code brought.
package enum Authorization: Sendable, Hashable {
  case done
  /// The person is known now, but has to say more.
  case personalDataNeeded
}

/// That a code is on its way, or shown by an app.
package struct CodeTicket: Sendable, Hashable {
  /// What is handed in with the code; empty where its service needs nothing.
  package let request: String
  /// How many digits it has, 1...32.
  package let length: Int
  /// Seconds until another may be asked for, 0...86,400; nil where nobody sends one.
  package let wait: Int?
  /// Where it was sent to, as the person may read it; may be shortened: `a…@example.org`.
  package let destination: String?
  /// Seconds that it is good for; nil where that is not known.
  package let validity: Int?

  /// Whether a recovery code, which has another form, is accepted in its place.
  package let takesRecoveryCode: Bool

  /// A code of a person's authenticator app, or a recovery code.
  package static let secondFactor = CodeTicket(wait: nil, takesRecoveryCode: true)

  /// Values beyond the ranges become the nearest within.
  package init(
    request: String = "", length: Int = 6, wait: Int?, destination: String? = nil,
    validity: Int? = nil, takesRecoveryCode: Bool = false
  ) {
    self.request = request
    self.length = min(max(length, 1), 32)
    self.wait = wait.map(Self.bounded)
    self.destination = destination
    self.validity = validity
    self.takesRecoveryCode = takesRecoveryCode
  }

  static func bounded(_ wait: Int) -> Int { min(max(wait, 0), 86_400) }
}
