import Platform
import Validation

/// Sets new passwords.
public protocol NewPasswordService: Sendable {
  /// Sets the password.
  /// - Throws: `network` or `refused`.
  func set(_ password: TypedPassword) async throws(ScreenFailure)
}

/// The known data of the owner of a new password; nil for unknown values.
public struct NewPasswordOwner: Sendable {
  /// The display name, which the password must not contain.
  public var name: String?
  /// The e-mail address, which the password must not contain.
  public var email: String?
  /// Whether the account has a second factor; the rules then allow a shorter password.
  public var hasSecondFactor: Bool?

  public init(name: String? = nil, email: String? = nil, hasSecondFactor: Bool? = nil) {
    (self.name, self.email, self.hasSecondFactor) = (name, email, hasSecondFactor)
  }
}

/// A typed password. Descriptions and dumps leave it out.
public struct TypedPassword: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The password as typed.
  public let text: String

  public init(_ text: String) { self.text = text }

  public var description: String { "TypedPassword" }
  public var customMirror: Mirror { Mirror(self, children: []) }
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
  public func driver(
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
