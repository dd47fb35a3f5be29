/// Where people log in.
package protocol LoginService: Sendable {
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
  /// The password is right; the account wants a code too.
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
  package let email: String
  package let password: String
  /// The code of the second factor.
  package let code: String?

  package init(email: String, password: String, code: String? = nil) {
    self.email = email
    self.password = password
    self.code = code
  }

  package var description: String { "Credentials" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The secret of a session. Shows nothing of it in descriptions and dumps.
package struct SessionSecret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { "SessionSecret" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
