import Foundation

/// What the audit log tells of: the words in the log, in `theater audit` and in the API.
package enum AuditDeed: String, Sendable, CaseIterable {
  // Coming and going
  case login, logout, proof, registration
  case sessionEnded, sessionsEnded
  // One's own account
  case nameChanged, emailChanged, phoneChanged, passwordChanged, passwordReset
  case contactVerified, factorAdded, factorRemoved, recoveryCodesMade
  // Other people
  case invitationMade, invitationRevoked
  case roleChanged, ageLimitChanged, accountRemoved, unlocked
  case guestPassMade, guestPassRevoked, guestEntered
  // The works
  case configurationChecked
  /// A player went on to what is rated above somebody's age limit, and was stopped.
  case limitStopped
  /// Browsers are shown another certificate from now on.
  case certificateRenewed
  /// The disk was full: so many records are missing before this one.
  case recordsLost
}

/// How it ended.
package enum AuditOutcome: Hashable, Sendable {
  case done
  /// With the code of the refusal: `wrongCredentials`.
  case refused(String)

  package static func refused(_ error: AccountError) -> AuditOutcome {
    .refused(error.code.rawValue)
  }

  /// The word that is stored and shown: `done`, or the code.
  package var word: String {
    switch self {
    case .done: "done"
    case .refused(let code): code
    }
  }

  /// Reads `word`.
  package init(word: String) { self = word == "done" ? .done : .refused(word) }
}

/// Who did it, as far as is known. Kept as words, since the log outlives the account.
package struct AuditActor: Hashable, Sendable {
  /// The account, or the identity of a guest's pass; nil for who only claims to be somebody.
  package let account: AccountID?
  /// The e-mail address, or a guest's name.
  package let name: String

  package init(account: AccountID?, name: String) {
    self.account = account
    self.name = name
  }

  package init(_ account: Account) {
    self.init(account: account.id, name: account.email.text)
  }

  package init(_ principal: SessionPrincipal) {
    self.init(account: principal.account, name: principal.email ?? principal.name)
  }

  /// Who typed an address and has proven nothing.
  package init(claiming email: EmailAddress) {
    self.init(account: nil, name: email.text)
  }
}

/// One line of the audit log: who did what, from where, when, and how it ended. Never a secret.
package struct AuditEntry: Hashable, Sendable {
  /// When it happened, for repeats the first time. Shown in UTC.
  package let at: Date
  /// When it happened last; `at` unless it was repeated.
  package let last: Date
  /// How often it happened: the log counts repeats of a refusal in one entry.
  package let count: Int
  package let deed: AuditDeed
  package let outcome: AuditOutcome
  /// nil for strangers and for the controller itself.
  package let actor: AuditActor?
  /// Whom or what it concerns beside the actor: an address, a role, an identity.
  package let subject: String?
  package let origin: Origin

  /// Most characters of a subject that are kept.
  package static let longestSubject = 300

  package init(
    at: Date, deed: AuditDeed, outcome: AuditOutcome, actor: AuditActor?, subject: String?,
    origin: Origin, count: Int = 1, last: Date? = nil
  ) {
    self.at = at
    self.last = last ?? at
    self.count = count
    self.deed = deed
    self.outcome = outcome
    self.actor = actor
    self.subject = subject.map { String($0.prefix(Self.longestSubject)) }
    self.origin = origin
  }
}

/// A part of the audit log.
package struct AuditPage: Hashable, Sendable {
  /// In the order in which they came.
  package let entries: [AuditEntry]
  /// The place before which the earlier entries are found; nil where there are none.
  package let before: Int64?

  package init(entries: [AuditEntry], before: Int64?) {
    self.entries = entries
    self.before = before
  }
}
