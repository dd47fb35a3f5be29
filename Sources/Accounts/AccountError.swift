import Jobs

/// A refused account operation, in words for the person. Never holds a secret.
package struct AccountError: Error, Hashable, Sendable {
  /// For programs; front ends show the raw value as `code`.
  package enum Code: String, Sendable, CaseIterable {
    // Invalid input, with its `field`.
    case empty, malformed, tooShort, tooLong, unsuitable
    // Registration
    case codeInvalid, setupClosed, taken
    // Login and sessions
    case wrongCredentials, notLoggedIn, forbidden, proofNeeded, tooManyTries
    // People
    case notFound, lastOwner, outOfRange
    // One-time codes
    case codeWrong, codeExpired, tooEarly, deliveryUnavailable, deliveryFailed
    // The second factor
    case secondFactorNeeded, factorActive, noFactor
    // The controller
    case busy, cancelled, storageFull, storageFailed
    case internalFailure = "internal"
  }

  /// The invalid input.
  package enum Field: String, Sendable, CaseIterable {
    case name, email, phone, password, newPassword, code

    var words: String {
      switch self {
      case .name: "name"
      case .email: "e-mail address"
      case .phone: "phone number"
      case .password: "password"
      case .newPassword: "new password"
      case .code: "code"
      }
    }
  }

  package let code: Code
  package let field: Field?
  /// What happened; one sentence.
  package let message: String
  /// What to do next; one sentence.
  package let hint: String
  /// Seconds until the same request can succeed; nil when time changes nothing.
  package let retryAfter: Int?
  /// The attempts that a code has left; nil for other errors.
  package let triesLeft: Int?

  package init(
    _ code: Code, field: Field? = nil, message: String, hint: String, retryAfter: Int? = nil,
    triesLeft: Int? = nil
  ) {
    self.code = code
    self.field = field
    self.message = message
    self.hint = hint
    self.retryAfter = retryAfter
    self.triesLeft = triesLeft
  }
}

// MARK: - Invalid input

extension AccountError {
  package static func empty(_ field: Field) -> AccountError {
    AccountError(
      .empty, field: field, message: "The \(field.words) is empty.",
      hint: "Type the \(field.words).")
  }

  package static func tooLong(_ field: Field, limit: String) -> AccountError {
    AccountError(
      .tooLong, field: field, message: "The \(field.words) is longer than \(limit).",
      hint: "Shorten the \(field.words).")
  }

  package static func tooManyMarks(_ field: Field) -> AccountError {
    AccountError(
      .malformed, field: field,
      message: "The \(field.words) has more than 30 combining marks in a row.",
      hint: "Type the \(field.words) with fewer.")
  }

  package static let malformedEmail = AccountError(
    .malformed, field: .email, message: "This is not an e-mail address.",
    hint: "Write it like anna@example.org, without spaces; a host beyond ASCII in its xn-- form.")

  package static let malformedName = AccountError(
    .malformed, field: .name,
    message: "The name holds control characters or marks that turn the direction of text.",
    hint: "Type the name without them.")
}

// MARK: - Registration

extension AccountError {
  package static let codeInvalid = AccountError(
    .codeInvalid, field: .code, message: "The code is mistyped, used or expired.",
    hint: "Check it; a new one comes from `theater invite`, typed by an owner.")

  package static let setupClosed = AccountError(
    .setupClosed, field: .code, message: "This theater has its owner already.",
    hint: "Register with an invitation; an owner makes one with `theater invite`.")

  package static let taken = AccountError(
    .taken, field: .email, message: "This e-mail address has an account already.",
    hint: "Log in with it, or register another address; the code is still good.")
}

// MARK: - Login

extension AccountError {
  /// The same for an unknown address and a wrong password, so that a stranger does not learn which
  /// addresses have accounts.
  package static let wrongCredentials = AccountError(
    .wrongCredentials, message: "The e-mail address or the password is wrong.",
    hint: "Type both again.")

  package static let notLoggedIn = AccountError(
    .notLoggedIn, message: "You are not logged in, or the session has ended.",
    hint: "Log in: `theater login`.")

  package static func forbidden(_ deed: String) -> AccountError {
    AccountError(
      .forbidden, message: "Only an owner may \(deed).", hint: "Ask an owner of this theater.")
  }
}

// MARK: - The controller

extension AccountError {
  /// The error of a job in the words of accounts.
  package init(_ error: JobError<AccountError>) {
    switch error {
    case .failed(let error): self = error
    case .cancelled: self = .cancelled
    case .queueFull, .refused: self = .busy
    }
  }

  package static let busy = AccountError(
    .busy, message: "Too many people register or log in at this moment.",
    hint: "Try again in a few seconds.")

  package static let cancelled = AccountError(
    .cancelled, message: "The request was cancelled before it was done.", hint: "Ask again.")

  package static func internalFailure(_ what: String) -> AccountError {
    AccountError(
      .internalFailure, message: what,
      hint: "Nothing was changed. Try again; the controller's log says more.")
  }
}

extension AccountError {
  package static let lastOwner = AccountError(
    .lastOwner, message: "This is the only owner: without one, no further people could be invited.",
    hint: "Make another person an owner first: `theater accounts role EMAIL owner`.")

  package static let unknownAccount = AccountError(
    .notFound, message: "There is no such account.", hint: "See who there is: `theater accounts`.")

  package static let unknownSession = AccountError(
    .notFound, message: "There is no such session.",
    hint: "See which there are: `theater sessions`.")

  package static let unknownInvitation = AccountError(
    .notFound, message: "There is no such open invitation.",
    hint: "See which there are: `theater invite list`.")

  package static let unknownGuestPass = AccountError(
    .notFound, message: "There is no such guest pass.",
    hint: "See which there are: `theater guest list`.")

  package static let guestPassInvalid = AccountError(
    .codeInvalid, field: .code, message: "The guest pass is mistyped, revoked or expired.",
    hint: "Ask an owner for a new one: `theater guest invite`.")

  package static let proofNeeded = AccountError(
    .proofNeeded, message: "Prove first that it is you: this was not asked for a while.",
    hint: "Type your password again (`theater prove`), then repeat this within five minutes.")

  package static func outOfRange(_ what: String, _ range: String) -> AccountError {
    AccountError(
      .outOfRange, message: "The \(what) is not \(range).", hint: "Give \(range).")
  }
}
