/// Tells people that something was changed with which they log in (ASVS 5, 6.3.7): whoever changes
/// it in their place does not go unnoticed.
///
/// The change is done and stays, whether or not the message arrives; one that cannot be sent stands
/// in the log.
struct Notices: Sendable {
  let delivery: any MessageDelivery

  /// Takes a notice to wherever this theater can send, after the answer.
  func post(_ change: AccountChange, to destinations: [CodeDestination]) {
    for destination in destinations where delivery.reaches(destination.channel) {
      delivery.post(AccountMessage(change, to: destination))
    }
  }
}

extension AccountMessage {
  /// The message that tells of a change, and what to do about one that is somebody else's. It says
  /// nothing that was not known where it arrives: neither the new address nor who changed it.
  init(_ change: AccountChange, to destination: CodeDestination) {
    self.init(
      destination: destination, subject: "Your home theater account was changed",
      text: "\(change.words) If it was not you, \(change.advice).")
  }
}

extension AccountChange {
  /// What happened, as a sentence.
  fileprivate var words: String {
    switch self {
    case .email: "Your home theater account has another e-mail address now."
    case .phone: "Your home theater account has another phone number now."
    case .password: "The password of your home theater account was changed."
    case .forgottenPassword: "The password of your home theater account was set anew by a code."
    case .factorAdded: "Your home theater account has a second factor now."
    case .factorRemoved: "The second factor of your home theater account was removed."
    case .recoveryCodes: "Your home theater account has new recovery codes."
    }
  }

  /// What to do where it was somebody else, as the end of a sentence.
  fileprivate var advice: String {
    switch self {
    // Nothing reaches the person any more that could prove who they are.
    case .email, .factorAdded: "tell an owner of the theater at once"
    case .password: "set a new one by a code: theater password reset"
    // Whoever did it reads what comes here.
    case .forgottenPassword: "secure this mailbox or phone, then set a new one"
    case .phone, .factorRemoved, .recoveryCodes: "change your password at once"
    }
  }
}
