import Validation

/// Where people log in, with a password or with a code that it sends.
package protocol LoginService: CodeRequestService {
  func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoginAnswer
}

/// Where the secret of a session is kept, out of sight of everything else.
package protocol TokenKeeper: Sendable {
  /// - Throws: `notKept`.
  func keep(_ token: SessionSecret) async throws(ScreenFailure)
}

/// What a service answers.
package enum LoginAnswer: Sendable {
  case loggedIn(LoggedIn, SessionSecret)
  /// What was proven is right; the account wants a code of its second factor too.
  case secondFactorNeeded
}

/// Who logged in. The rest of the program is told this, never the secret.
package struct LoggedIn: Sendable, Hashable {
  package let name: String
  package let email: String

  package init(name: String, email: String) {
    self.name = name
    self.email = email
  }
}

/// What a person logs in with. Shows nothing of it in descriptions and dumps.
package struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// How the person proves who it is.
  package enum Proof: Sendable, Hashable {
    case password(String, email: String)
    /// A code that was sent, with the request of its ticket.
    case oneTimeCode(String, request: String)
  }

  package let proof: Proof
  /// The code of the second factor.
  package let code: String?

  package init(_ proof: Proof, code: String? = nil) {
    self.proof = proof
    self.code = code
  }

  package init(email: String, password: String, code: String? = nil) {
    self.init(.password(password, email: email), code: code)
  }

  package var description: String { "Credentials" }
  package var customMirror: Mirror { Mirror(self, children: []) }

  /// What cannot be right, whoever is asked.
  var mistake: ScreenFailure? {
    switch proof {
    case .password(let password, let email): LoginForm(email: email, password: password).mistake
    case .oneTimeCode("", _): .malformed(field: CodeEntry.field.text, message: "Type the code.")
    case .oneTimeCode: nil
    }
  }
}

/// The secret of a session. Shows nothing of it in descriptions and dumps.
package struct SessionSecret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { "SessionSecret" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
