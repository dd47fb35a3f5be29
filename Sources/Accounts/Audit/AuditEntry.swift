import Foundation

/// The actions in the audit log; the raw values are the words in the log, in `theater audit` and in the
/// API.
public enum AuditAction: String, Sendable, CaseIterable {
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
public enum AuditOutcome: Hashable, Sendable {
  case done
  /// With the error code: `wrongCredentials`.
  case refused(String)

  /// A refusal with the code of this error.
  public static func refused(_ error: AccountError) -> AuditOutcome {
    .refused(error.code.rawValue)
  }

  /// The stored and shown word: `done`, or the error code.
  public var word: String {
    switch self {
    case .done: "done"
    case .refused(let code): code
    }
  }

  /// Reads `word`.
  public init(word: String) { self = word == "done" ? .done : .refused(word) }
}

/// The person or guest behind an action. Stored as words, since the log outlives accounts.
public struct AuditActor: Hashable, Sendable {
  /// The account or guest pass; nil for a claimed address without proof.
  public let account: AccountID?
  /// The e-mail address, or a guest's name.
  public let name: String

  /// - Parameter account: nil for an actor without an account.
  public init(account: AccountID?, name: String) {
    self.account = account
    self.name = name
  }

  /// The holder of the account.
  public init(_ account: Account) {
    self.init(account: account.id, name: account.email.text)
  }

  /// The user of a session: a person, or a guest by the name of the pass.
  public init(_ principal: SessionPrincipal) {
    self.init(account: principal.account, name: principal.email ?? principal.name)
  }

  /// An unauthenticated actor, named by the e-mail address that it claimed.
  public init(claiming email: EmailAddress) {
    self.init(account: nil, name: email.text)
  }
}

/// An entry of the audit log: who did what, from where, when, with which outcome. Never a secret.
public struct AuditEntry: Hashable, Sendable {
  /// When it happened (first). Shown in UTC.
  public let at: Date
  /// When it happened last.
  public let last: Date
  /// The number of times; the log counts repeats of a refusal in one entry.
  public let count: Int
  public let action: AuditAction
  /// Whether it was done, or refused with which error.
  public let outcome: AuditOutcome
  /// nil for strangers and the controller itself.
  public let actor: AuditActor?
  /// The object of the action: an address, a role, an identity.
  public let subject: String?
  /// The address and device of the request.
  public let origin: Origin

  /// The most characters of a subject that are stored.
  public static let longestSubject = 300

  /// - Parameters:
  ///   - subject: Cut to `longestSubject` characters.
  ///   - last: nil for an action that happened once.
  public init(
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
public struct AuditPage: Hashable, Sendable {
  /// In order of time.
  public let entries: [AuditEntry]
  /// The position for the page before this one; nil when there is none.
  public let before: Int64?

  public init(entries: [AuditEntry], before: Int64?) {
    self.entries = entries
    self.before = before
  }
}
