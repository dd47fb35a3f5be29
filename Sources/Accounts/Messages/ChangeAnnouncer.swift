/// A change of an account's credentials or addresses.
public enum AccountChange: String, Sendable, CaseIterable {
  case email, phone
  /// Changed with the old password; `forgottenPassword` is changed with a code.
  case password, forgottenPassword
  case factorAdded, factorRemoved, recoveryCodes
  /// A new access token.
  case accessToken

  /// Its word in the audit log.
  var action: AuditAction {
    switch self {
    case .email: .emailChanged
    case .phone: .phoneChanged
    case .password: .passwordChanged
    case .forgottenPassword: .passwordReset
    case .factorAdded: .factorAdded
    case .factorRemoved: .factorRemoved
    case .recoveryCodes: .recoveryCodesMade
    case .accessToken: .tokenMade
    }
  }
}

/// Reports changes of an account to the rest of the program, to the audit log and to its owner (ASVS
/// 5, 6.3.7), so that a stranger's change does not go unnoticed.
///
/// The change is done and stays, whether or not the message arrives; delivery failures are logged.
struct ChangeAnnouncer: Sendable {
  let events: AccountEvents
  let audit: AuditLog
  let delivery: any MessageDelivery

  /// - Parameters:
  ///   - account: As it was before the change; the notice goes to its address.
  ///   - phone: A number that gets the notice too.
  ///   - subject: The new value, unless it is a secret.
  func announce(
    _ change: AccountChange, of account: Account, phone: PhoneNumber? = nil,
    about subject: String? = nil
  ) async {
    events.publish(.changed(account.id, account.role, change))
    let destinations: [CodeDestination] =
      [.email(account.email)] + (phone.map { [.phone($0)] } ?? [])
    for destination in destinations where delivery.supports(destination.channel) {
      delivery.enqueue(AccountMessage(change, to: destination))
    }
    await audit.record(change.action, by: AuditActor(account), about: subject)
  }
}

extension AccountMessage {
  /// The notice of a change. It holds nothing that its reader did not know before: neither the new
  /// address nor who changed it.
  init(_ change: AccountChange, to destination: CodeDestination) {
    self.init(
      destination: destination, subject: "Your home theater account was changed",
      text: "\(change.sentence) If it was not you, \(change.advice).")
  }
}

extension AccountChange {
  fileprivate var sentence: String {
    switch self {
    case .email: "Your home theater account has another e-mail address now."
    case .phone: "Your home theater account has another phone number now."
    case .password: "The password of your home theater account was changed."
    case .forgottenPassword: "The password of your home theater account was reset with a code."
    case .factorAdded: "Your home theater account has a second factor now."
    case .factorRemoved: "The second factor of your home theater account was removed."
    case .recoveryCodes: "Your home theater account has new recovery codes."
    case .accessToken: "Your home theater account has a new access token."
    }
  }

  /// The advice against a stranger's change, as the end of a sentence.
  fileprivate var advice: String {
    switch self {
    // The person receives no more messages with a code to log in.
    case .email, .factorAdded: "tell an owner of the theater at once"
    case .password: "set a new one at once, with a code"
    // The stranger reads this mailbox or phone.
    case .forgottenPassword: "secure this mailbox or phone, then set a new one"
    case .phone, .factorRemoved, .recoveryCodes: "change your password at once"
    case .accessToken: "revoke it and change your password"
    }
  }
}
