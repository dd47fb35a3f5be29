/// What was changed of that with which a person logs in.
package enum AccountChange: String, Sendable, CaseIterable {
  case email, phone
  /// By who knew the old one; else, with a code, it is `forgottenPassword`.
  case password, forgottenPassword
  case factorAdded, factorRemoved, recoveryCodes

  /// Its word in the audit log.
  var deed: AuditDeed {
    switch self {
    case .email: .emailChanged
    case .phone: .phoneChanged
    case .password: .passwordChanged
    case .forgottenPassword: .passwordReset
    case .factorAdded: .factorAdded
    case .factorRemoved: .factorRemoved
    case .recoveryCodes: .recoveryCodesMade
    }
  }
}
