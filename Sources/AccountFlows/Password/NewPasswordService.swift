import Platform
import Validation

/// Sets new passwords.
package protocol NewPasswordService: Sendable {
  /// Sets the password.
  /// - Throws: `network` or `refused`.
  func set(_ password: TypedPassword) async throws(ScreenFailure)
}

/// The known data of the owner of a new password; nil for unknown values.
package struct NewPasswordOwner: Sendable {
  /// The display name, which the password must not contain.
  package var name: String?
  /// The e-mail address, which the password must not contain.
  package var email: String?
  /// Whether the account has a second factor; the rules then allow a shorter password.
  package var hasSecondFactor: Bool?

  package init(name: String? = nil, email: String? = nil, hasSecondFactor: Bool? = nil) {
    (self.name, self.email, self.hasSecondFactor) = (name, email, hasSecondFactor)
  }
}

/// A typed password. Descriptions and dumps leave it out.
package struct TypedPassword: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The password as typed.
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { "TypedPassword" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Form {
  /// Whether the password is valid and only its repetition differs.
  var isMismatch: Bool {
    self[.password]?.isValid == true && self[.passwordAgain]?.isValid == false
      && !text(.passwordAgain).isEmpty
  }
}

extension NewPasswordScreen {
  /// Returns a driver that runs the screen with a service that sets the password.
  package func driver(
    _ service: some NewPasswordService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<NewPasswordScreen> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .set(let password):
        .set(await Result(of: { () throws(ScreenFailure) in try await service.set(password) }))
      }
    }
  }
}
