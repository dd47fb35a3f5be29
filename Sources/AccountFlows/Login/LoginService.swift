import Validation

/// Logs people in, with a password or with a code that it sends.
package protocol LoginService: CodeRequestService {
  /// Logs in with a password or a one-time code, and the code of the second factor if it was typed.
  /// - Returns: The person and the session's secret, or that the second factor's code is needed.
  /// - Throws: `network` or `refused`.
  func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoginAnswer
}

/// Stores the secret of a session.
package protocol TokenStore: Sendable {
  /// - Throws: `notKept`.
  func save(_ token: SessionSecret) async throws(ScreenFailure)
}

/// The answer to a login.
package enum LoginAnswer: Sendable {
  /// The person is logged in; the secret opens the session.
  case loggedIn(LoggedInPerson, SessionSecret)
  /// The credentials are correct; the account also needs a code of its second factor.
  case secondFactorNeeded
}

/// The person who logged in, for the rest of the program; without the secret.
package struct LoggedInPerson: Sendable, Hashable {
  /// The display name.
  package let name: String
  package let email: String

  package init(name: String, email: String) {
    self.name = name
    self.email = email
  }
}

/// The credentials of a login. Descriptions and dumps leave them out.
package struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The first factor.
  package enum Proof: Sendable, Hashable {
    /// A password, with the e-mail address of the account. Both are as typed.
    case password(String, email: String)
    /// A code with the request of its ticket.
    case oneTimeCode(String, request: String)
  }

  /// The password or one-time code, with the account that it is for.
  package let proof: Proof
  /// The code of the second factor.
  package let code: String?

  /// - Parameter code: A code of the second factor; nil before the service asks for it.
  package init(_ proof: Proof, code: String? = nil) {
    self.proof = proof
    self.code = code
  }

  /// Credentials with a password.
  package init(email: String, password: String, code: String? = nil) {
    self.init(.password(password, email: email), code: code)
  }

  package var description: String { "Credentials" }
  package var customMirror: Mirror { Mirror(self, children: []) }

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
package struct SessionSecret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The token of the session.
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { "SessionSecret" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Logs a person in: checks the form, then asks the service, then stores the secret (E4).
package struct Authenticator: Sendable {
  private let service: any LoginService
  private let tokens: any TokenStore

  /// - Parameters:
  ///   - service: Checks the credentials.
  ///   - tokens: Stores the secret after each successful login.
  package init(service: some LoginService, tokens: some TokenStore) {
    self.service = service
    self.tokens = tokens
  }

  /// - Returns: The person; nil when the account needs a second factor.
  /// - Throws: `malformed` before anything is sent; `network`; `refused`; `notKept`.
  package func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoggedInPerson? {
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
