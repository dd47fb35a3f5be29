import Jobs

/// A refused account operation, in words for the person. Never holds a secret.
public struct AccountError: Error, Hashable, Sendable {
  /// For programs; front ends show the raw value as `code`.
  public enum Code: String, Sendable, CaseIterable {
    // Invalid input, with its `field`.
    case empty, malformed, tooShort, tooLong, unsuitable
    // Registration
    case codeInvalid, setupClosed, taken
    // Login and sessions
    case wrongCredentials, notLoggedIn, forbidden, proofNeeded, tooManyTries
    // People
    case notFound, lastOwner, outOfRange
    // Access tokens
    case tooManyTokens
    // One-time codes
    case codeWrong, codeExpired, tooEarly, deliveryUnavailable, deliveryFailed
    // The second factor
    case secondFactorNeeded, factorActive, noFactor
    // The controller
    case busy, cancelled, storageFull, storageFailed
    case internalFailure = "internal"
  }

  /// The invalid input.
  public enum Field: String, Sendable, CaseIterable {
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

  /// The kind of error, for programs.
  public let code: Code
  /// The field of the form that has to change; nil if none has to.
  public let field: Field?
  /// The description of the failure; one sentence.
  public let message: String
  /// The next action; one sentence.
  public let hint: String
  /// Seconds until the same request can succeed; nil when time changes nothing.
  public let retryAfter: Int?
  /// The attempts that a code has left; nil for other errors.
  public let triesLeft: Int?

  public init(
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
  /// A required field is blank.
  public static func empty(_ field: Field) -> AccountError {
    AccountError(
      .empty, field: field, message: "The \(field.words) is empty.",
      hint: "Type the \(field.words).")
  }

  /// A field has more characters than its limit.
  /// - Parameter limit: The limit with its unit: "256 characters".
  public static func tooLong(_ field: Field, limit: String) -> AccountError {
    AccountError(
      .tooLong, field: field, message: "The \(field.words) is longer than \(limit).",
      hint: "Shorten the \(field.words).")
  }

  /// A text has more combining marks in a row than `TextLimits.marksInARow`.
  public static func tooManyMarks(_ field: Field) -> AccountError {
    AccountError(
      .malformed, field: field,
      message: "The \(field.words) has more than 30 combining marks in a row.",
      hint: "Type the \(field.words) with fewer.")
  }

  /// The text is not an e-mail address by `EmailSyntax`.
  public static let malformedEmail = AccountError(
    .malformed, field: .email, message: "This is not an e-mail address.",
    hint: "Write it like anna@example.org, without spaces; a host beyond ASCII in its xn-- form.")

  /// The name has invisible characters that could mislead its readers.
  public static let malformedName = AccountError(
    .malformed, field: .name,
    message: "The name holds control characters or marks that turn the direction of text.",
    hint: "Type the name without them.")
}

// MARK: - Registration

extension AccountError {
  /// The setup code or invitation is not valid.
  public static let codeInvalid = AccountError(
    .codeInvalid, field: .code, message: "The code is mistyped, used or expired.",
    hint: "Check it, or ask an owner for a new invitation.")

  /// The setup code was used: the theater has an owner.
  public static let setupClosed = AccountError(
    .setupClosed, field: .code, message: "This theater has its owner already.",
    hint: "Ask an owner for an invitation, and register with its code.")

  /// The address has an account. Only the holder of a valid code is told.
  public static let taken = AccountError(
    .taken, field: .email, message: "This e-mail address has an account already.",
    hint: "Log in with it, or register another address; the code is still good.")
}

// MARK: - Login

extension AccountError {
  /// The login failed. The error is the same for an unknown address and for a wrong password, so
  /// that a stranger does not learn which addresses have accounts.
  public static let wrongCredentials = AccountError(
    .wrongCredentials, message: "The e-mail address or the password is wrong.",
    hint: "Type both again.")

  /// The request has no valid session.
  public static let notLoggedIn = AccountError(
    .notLoggedIn, message: "You are not logged in, or the session has ended.",
    hint: "Log in again.")

  /// The action requires the role of an owner.
  /// - Parameter deed: The refused action, as a verb phrase: "invite people".
  public static func forbidden(_ deed: String) -> AccountError {
    AccountError(
      .forbidden, message: "Only an owner may \(deed).", hint: "Ask an owner of this theater.")
  }
}

// MARK: - The controller

extension AccountError {
  /// The error of a job in the words of accounts.
  public init(_ error: JobError<AccountError>) {
    switch error {
    case .failed(let error): self = error
    case .cancelled: self = .cancelled
    case .queueFull, .refused: self = .busy
    }
  }

  /// The queue of password hashes is full; nothing was checked.
  public static let busy = AccountError(
    .busy, message: "Too many people register or log in at this moment.",
    hint: "Try again in a few seconds.")

  /// The queue of messages is full; this one was not sent.
  public static let tooManyMessages = AccountError(
    .busy, message: "Too many messages wait to be sent at this moment.",
    hint: "Try again in a few seconds.")

  /// The caller cancelled the request before its effect.
  public static let cancelled = AccountError(
    .cancelled, message: "The request was cancelled before it was done.", hint: "Ask again.")

  /// A failure of the controller itself. Nothing was changed.
  /// - Parameter what: The message: what failed, as one sentence.
  public static func internalFailure(_ what: String) -> AccountError {
    AccountError(
      .internalFailure, message: what,
      hint: "Nothing was changed. Try again; the controller's log says more.")
  }
}

extension AccountError {
  /// The change would leave the theater without an owner.
  public static let lastOwner = AccountError(
    .lastOwner, message: "This is the only owner: without one, no further people could be invited.",
    hint: "Make another person an owner first.")

  /// No account has this id or address.
  public static let unknownAccount = AccountError(
    .notFound, message: "There is no such account.", hint: "Choose one from the list of accounts.")

  /// The user has no session with this id, or it has ended.
  public static let unknownSession = AccountError(
    .notFound, message: "There is no such session.", hint: "Choose one from your list of sessions.")

  /// No invitation has this id, or it was used, revoked or has expired.
  public static let unknownInvitation = AccountError(
    .notFound, message: "There is no such open invitation.",
    hint: "Choose one from the list of invitations.")

  /// No guest pass has this id, or it was revoked.
  public static let unknownGuestPass = AccountError(
    .notFound, message: "There is no such guest pass.",
    hint: "Choose one from the list of guest passes.")

  /// The code belongs to no valid guest pass.
  public static let guestPassInvalid = AccountError(
    .codeInvalid, field: .code, message: "The guest pass is mistyped, revoked or expired.",
    hint: "Check it, or ask an owner for a new guest pass.")

  /// The last authentication of the session is more than five minutes old.
  public static let proofNeeded = AccountError(
    .proofNeeded,
    message: "Prove first that it is you: your last proof is more than five minutes old.",
    hint: "Type your password again, then repeat this within five minutes.")

  /// A value is out of its range.
  /// - Parameters:
  ///   - what: The value, as a noun: "age limit".
  ///   - range: Its valid values: "0 to 21 years".
  public static func outOfRange(_ what: String, _ range: String) -> AccountError {
    AccountError(
      .outOfRange, message: "The \(what) is not \(range).", hint: "Give \(range).")
  }
}
