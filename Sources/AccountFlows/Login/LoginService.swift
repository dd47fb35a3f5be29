import Validation

/// Logs people in, with a password or with a code that it sends.
public protocol LoginService: CodeRequestService {
  /// Logs in with a password or a one-time code, and the code of the second factor if it was typed.
  /// - Returns: The person and the session's secret, or that the second factor's code is needed.
  /// - Throws: `network` or `refused`.
  func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoginAnswer
}

/// Stores the secret of a session.
public protocol TokenStore: Sendable {
  /// - Throws: `notKept`.
  func save(_ token: SessionSecret) async throws(ScreenFailure)
}

/// The answer to a login.
public enum LoginAnswer: Sendable {
  /// The person is logged in; the secret opens the session.
  case loggedIn(LoggedInPerson, SessionSecret)
  /// The credentials are correct; the account also needs a code of its second factor.
  case secondFactorNeeded
}

/// The person who logged in, for the rest of the program; without the secret.
public struct LoggedInPerson: Sendable, Hashable {
  /// The display name.
  public let name: String
  public let email: String

  public init(name: String, email: String) {
    self.name = name
    self.email = email
  }
}

/// The credentials of a login. Descriptions and dumps leave them out.
public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The first factor.
  public enum Proof: Sendable, Hashable {
    /// A password, with the e-mail address of the account. Both are as typed.
    case password(String, email: String)
    /// A code with the request of its ticket.
    case oneTimeCode(String, request: String)
  }

  /// The password or one-time code, with the account that it is for.
  public let proof: Proof
  /// The code of the second factor.
  public let code: String?

  /// - Parameter code: A code of the second factor; nil before the service asks for it.
  public init(_ proof: Proof, code: String? = nil) {
    self.proof = proof
    self.code = code
  }

  /// Credentials with a password.
  public init(email: String, password: String, code: String? = nil) {
    self.init(.password(password, email: email), code: code)
  }

  public var description: String { "Credentials" }
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// The first malformed field.
  var mistake: ScreenFailure? {
    switch proof {
    case .password(let password, let email): LoginForm(email: email, password: password).mistake
    case .oneTimeCode("", _): .malformed(field: CodeEntry.field.text, message: "Type the code.")
    case .oneTimeCode: nil
    }
  }
}

/// The secret of a session. Descriptions and dumps leave it out.
public struct SessionSecret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The token of the session.
  public let text: String

  public init(_ text: String) { self.text = text }

  public var description: String { "SessionSecret" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Logs a person in: checks the form, then asks the service, then stores the secret (E4).
public struct Authenticator: Sendable {
  private let service: any LoginService
  private let tokens: any TokenStore

  /// - Parameters:
  ///   - service: Checks the credentials.
  ///   - tokens: Stores the secret after each successful login.
  public init(service: some LoginService, tokens: some TokenStore) {
    self.service = service
    self.tokens = tokens
  }

  /// - Returns: The person; nil when the account needs a second factor.
  /// - Throws: `malformed` before anything is sent; `network`; `refused`; `notKept`.
  public func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoggedInPerson? {
    if let mistake = credentials.mistake { throw mistake }
    switch try await service.logIn(credentials) {
    case .secondFactorNeeded: return nil
    case .loggedIn(let person, let secret):
      try await tokens.save(secret)
      return person
    }
  }

  /// Requests a login code.
  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket {
    try await service.requestCode(for: contact)
  }
}
