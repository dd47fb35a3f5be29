extension AccountError {
  /// Told only to who has proven to read what comes there.
  package static let contactTaken = AccountError(
    .taken, message: "This address or number belongs to another account of this theater.",
    hint: "Take another, or ask the other person to give it up.")
}
