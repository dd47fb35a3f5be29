import Foundation

/// The actions in the audit log; the raw values are the words in the log, in `theater audit` and in the
/// API.
package enum AuditAction: String, Sendable, CaseIterable {
  // Login and logout
  case login, logout, proof, registration
  case sessionEnded, sessionsEnded
  // One's own account
  case nameChanged, emailChanged, phoneChanged, passwordChanged, passwordReset
  case contactVerified, factorAdded, factorRemoved, recoveryCodesMade
  // Other people
  case invitationMade, invitationRevoked
  case roleChanged, ageLimitChanged, accountRemoved, unlocked
  case guestPassMade, guestPassRevoked, guestEntered
  // Access tokens; `tokenUsed` is recorded only when it is refused.
  case tokenMade, tokenRevoked, tokenUsed
  // The controller
  case configurationChecked, configurationSaved, secretSaved, pluginSwapped, devicesSearched
  /// Playback was stopped because its rating is above the age limit of the user who started it.
  case limitStopped
  /// Browsers get another certificate from now on.
  case certificateRenewed
  /// The disk was full: this number of entries is missing before this one.
  case recordsLost
}

/// The outcome of an action.
package enum AuditOutcome: Hashable, Sendable {
  case done
  /// With the error code: `wrongCredentials`.
  case refused(String)

  /// A refusal with the code of this error.
  package static func refused(_ error: AccountError) -> AuditOutcome {
    .refused(error.code.rawValue)
  }

  /// The stored and shown word: `done`, or the error code.
  package var word: String {
    switch self {
    case .done: "done"
    case .refused(let code): code
    }
  }

  /// Reads `word`.
  package init(word: String) { self = word == "done" ? .done : .refused(word) }
}

/// The person or guest behind an action. Stored as words, since the log outlives accounts.
package struct AuditActor: Hashable, Sendable {
  /// The account or guest pass; nil for a claimed address without proof.
  package let account: AccountID?
  /// The e-mail address, or a guest's name.
  package let name: String

  /// - Parameter account: nil for an actor without an account.
  package init(account: AccountID?, name: String) {
    self.account = account
    self.name = name
  }

  /// The holder of the account.
  package init(_ account: Account) {
    self.init(account: account.id, name: account.email.text)
  }

  /// The user of a session: a person, or a guest by the name of the pass.
  package init(_ principal: SessionPrincipal) {
    self.init(account: principal.account, name: principal.email ?? principal.name)
  }

  /// An unauthenticated actor, named by the e-mail address that it claimed.
  package init(claiming email: EmailAddress) {
    self.init(account: nil, name: email.text)
  }
}

/// An entry of the audit log: who did what, from where, when, with which outcome. Never a secret.
package struct AuditEntry: Hashable, Sendable {
  /// When it happened (first). Shown in UTC.
  package let at: Date
  /// When it happened last.
  package let last: Date
  /// The number of times; the log counts repeats of a refusal in one entry.
  package let count: Int
  package let action: AuditAction
  /// Whether it was done, or refused with which error.
  package let outcome: AuditOutcome
  /// nil for strangers and the controller itself.
  package let actor: AuditActor?
  /// The object of the action: an address, a role, an identity.
  package let subject: String?
  /// The address and device of the request.
  package let origin: Origin

  /// The most characters of a subject that are stored.
  package static let longestSubject = 300

  /// - Parameters:
  ///   - subject: Cut to `longestSubject` characters.
  ///   - last: nil for an action that happened once.
  package init(
    at: Date, action: AuditAction, outcome: AuditOutcome, actor: AuditActor?, subject: String?,
    origin: Origin, count: Int = 1, last: Date? = nil
  ) {
    self.at = at
    self.last = last ?? at
    self.count = count
    self.action = action
    self.outcome = outcome
    self.actor = actor
    self.subject = subject.map { String($0.prefix(Self.longestSubject)) }
    self.origin = origin
  }
}

/// A page of the audit log.
package struct AuditPage: Hashable, Sendable {
  /// In order of time.
  package let entries: [AuditEntry]
  /// The position for the page before this one; nil when there is none.
  package let before: Int64?

  package init(entries: [AuditEntry], before: Int64?) {
    self.entries = entries
    self.before = before
  }
}
