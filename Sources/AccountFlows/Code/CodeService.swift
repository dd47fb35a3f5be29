import Validation

/// The kind of address to which a code is sent; the raw value is its name in the API.
public enum CodeContact: String, Sendable, Hashable, CaseIterable {
  case email, phone

  /// The form field for an address of this kind.
  public var field: FieldName {
    switch self {
    case .email: .email
    case .phone: .phone
    }
  }
}

/// Sends codes.
public protocol CodeRequestService: Sendable {
  /// Requests a code for a phone number or an e-mail address; an earlier code becomes void.
  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket
}

/// Verifies codes.
public protocol CodeService: Sendable {
  /// Verifies a code.
  /// - Parameter request: The `request` of the code's ticket.
  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization
}

/// The result of a correct code.
public enum Authorization: Sendable, Hashable {
  /// Nothing else is needed.
  case done
  /// The address is verified; the account still needs personal data.
  case personalDataNeeded
}

/// A code that was sent, or that an app shows.
public struct CodeTicket: Sendable, Hashable {
  /// The id of the request, submitted with the code; empty when its service needs none.
  public let request: String
  /// The number of digits, 1...32.
  public let length: Int
  /// Seconds until another code can be requested, 0...86,400; nil when codes are not sent, as those
  /// of an app.
  public let wait: Int?
  /// Its destination for display; may be shortened: `a…@example.org`.
  public let destination: String?
  /// Seconds for which the code is valid; nil when unknown.
  public let validity: Int?

  /// Whether a recovery code, which has another form, is accepted in its place.
  public let takesRecoveryCode: Bool

  /// The ticket for a code of a person's authenticator app, or for a recovery code.
  public static let secondFactor = CodeTicket(wait: nil, takesRecoveryCode: true)

  /// Clamps `length` and `wait` to their ranges.
  public init(
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
