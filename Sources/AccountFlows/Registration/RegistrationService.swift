/// Where people register, with the code that admits them.
package protocol RegistrationService: Sendable {
  func register(_ person: NewPerson) async throws(ScreenFailure) -> Registered
  /// Answers what a rule asks about a text (C8), such as `emailFree`: told only to who is admitted.
  func answer(_ question: String, about text: String) async throws(ScreenFailure) -> Bool
}

/// What a person who registers has typed. Shows nothing of it in descriptions and dumps.
package struct NewPerson: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  package let name: String
  package let email: String
  package let password: String

  package init(name: String, email: String, password: String) {
    self.name = name
    self.email = email
    self.password = password
  }

  package var description: String { "NewPerson" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Who has an account now.
package struct Registered: Sendable, Hashable {
  package let name: String
  package let email: String
  package let role: String

  package init(name: String, email: String, role: String) {
    self.name = name
    self.email = email
    self.role = role
  }
}

/// How a try to register ended (E7).
package enum RegistrationOutcome: Sendable, Hashable {
  /// Login comes next.
  case success(Registered)
  /// The two passwords differ; both are cleared.
  case mismatch
  /// Something is not filled in.
  case empty
  /// The address has an account; only the holder of a good code is told.
  case taken(Refusal)
  /// The controller could not, through no fault of the person.
  case internalError(Refusal)
  /// Everything else: not reached, or refused for another reason.
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

  /// What a person reads; nothing after a success, which the next screen shows.
  package var text: String? {
    switch self {
    case .success: nil
    case .mismatch: ScreenFailure.mismatch.text
    case .empty: "Something is not filled in yet."
    case .taken(let refusal), .internalError(let refusal): ScreenFailure.refused(refusal).text
    case .failed(let failure): failure.text
    }
  }

  /// The step on which it is mended; nil where none helps.
  var step: RegistrationWizard.Step? {
    switch self {
    case .taken: .email
    case .failed(let failure): failure.field.flatMap(RegistrationWizard.Step.init(field:))
    default: nil
    }
  }
}
