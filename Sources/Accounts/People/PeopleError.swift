extension AccountError {
  package static let lastOwner = AccountError(
    .lastOwner, message: "This is the only owner: without one nobody could let people in.",
    hint: "Make somebody else an owner first: `theater accounts role EMAIL owner`.")

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
