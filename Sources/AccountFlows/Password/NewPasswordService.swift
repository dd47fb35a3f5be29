import Devices
import Validation

/// Where a new password is set.
package protocol NewPasswordService: Sendable {
  func set(_ password: TypedPassword) async throws(ScreenFailure)
}

/// What is known of whose password it is; nil is not known.
package struct NewPasswordOwner: Sendable {
  package var name: String?
  package var email: String?
  package var hasSecondFactor: Bool?

  package init(name: String? = nil, email: String? = nil, hasSecondFactor: Bool? = nil) {
    (self.name, self.email, self.hasSecondFactor) = (name, email, hasSecondFactor)
  }
}

/// A password that a person typed. Shows nothing of it in descriptions and dumps.
package struct TypedPassword: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { "TypedPassword" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Form {
  /// Whether the password is right by itself and the second typing is all that is wrong.
  var isMismatch: Bool {
    self[.password]?.isValid == true && self[.passwordAgain]?.isValid == false
      && !text(.passwordAgain).isEmpty
  }
}

extension NewPasswordScreen {
  /// The screen with a service that sets the password.
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
