/// Registers the holder of a code.
public protocol RegistrationService: Sendable {
  /// Creates the account of the holder of the code.
  /// - Throws: `network` or `refused`, such as `taken`.
  func register(_ person: NewPerson) async throws(ScreenFailure) -> Registered
  /// Answers an asynchronous rule about a text (C8), such as `emailFree`; only for holders of a code.
  func answer(_ question: String, about text: String) async throws(ScreenFailure) -> Bool
}

/// The code that admits a person to registration. Descriptions and dumps leave it out.
public enum RegistrationCode: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// As typed: the code on the controller's console, for the first owner.
  case setupCode(String)
  /// As typed: the code of an invitation.
  case invitation(String)

  public var description: String { "RegistrationCode" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The typed personal data of a registration. Descriptions and dumps leave it out.
public struct NewPerson: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  public let name: String
  public let email: String
  public let password: String

  public init(name: String, email: String, password: String) {
    self.name = name
    self.email = email
    self.password = password
  }

  public var description: String { "NewPerson" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A registered person.
public struct Registered: Sendable, Hashable {
  public let name: String
  public let email: String
  /// `owner` or `member`.
  public let role: String

  public init(name: String, email: String, role: String) {
    self.name = name
    self.email = email
    self.role = role
  }
}

/// The outcome of an attempt to register (E7).
public enum RegistrationOutcome: Sendable, Hashable {
  /// Login comes next.
  case success(Registered)
  /// The two passwords differ; both are cleared.
  case mismatch
  /// A field is empty.
  case empty
  /// The address has an account; only the holder of a valid code is told.
  case taken(Refusal)
  /// An internal error of the controller.
  case internalError(Refusal)
  /// The controller was not reached, or refused for another reason.
  case failed(ScreenFailure)

  init(_ failure: ScreenFailure) {
    guard case .refused(let refusal) = failure else {
      self = .failed(failure)
      return
    }
    switch refusal.code {
    case "taken": self = .taken(refusal)
    case "internal", "storageFailed", "storageFull": self = .internalError(refusal)
    default: self = .failed(failure)
    }
  }

  /// The text for the person; nil after a success, which the next screen shows.
  public var text: String? {
    switch self {
    case .success: nil
    case .mismatch: ScreenFailure.mismatch.text
    case .empty: "Something is not filled in yet."
    case .taken(let refusal), .internalError(let refusal): ScreenFailure.refused(refusal).text
    case .failed(let failure): failure.text
    }
  }

  /// The step on which it can be corrected; nil when there is none.
  var step: RegistrationWizard.Step? {
    switch self {
    case .taken: .email
    case .failed(let failure): failure.field.flatMap(RegistrationWizard.Step.init(field:))
    default: nil
    }
  }
}
