import Foundation

/// Where accounts are kept. What must be decided once among many is decided by the store, in one
/// step.
package protocol AccountStore: Sendable {
  /// Whether there is any account.
  func hasAccounts() async throws(AccountError) -> Bool

  /// Keeps the first account.
  /// - Throws: `setupClosed` where there is one already, whoever came first.
  func insertFirst(_ record: AccountRecord) async throws(AccountError)

  /// Keeps an account and uses up the invitation that admits it: both or neither.
  /// - Throws: `taken` where the address has an account; `codeInvalid` where the invitation is
  ///   unknown, used, or has expired at `now`.
  func insert(
    _ record: AccountRecord, redeeming invitation: SecretDigest, at now: Date
  ) async throws(AccountError)

  /// The account with this address, compared by its key.
  func account(withEmail email: EmailAddress) async throws(AccountError) -> AccountRecord?

  /// Puts another hash of the same password in the place of `old`; does nothing where the hash is
  /// another by now.
  func replaceHash(
    _ old: PasswordHash, of account: AccountID, with new: PasswordHash
  ) async throws(AccountError)

  /// Puts the hash of another password in the place of `old`, ends the account's sessions but `kept`
  /// and voids the codes that would let somebody in: all or nothing.
  /// - Returns: the sessions that ended.
  /// - Throws: `wrongCredentials` where the hash is another by now.
  func changePassword(
    _ old: PasswordHash, of account: AccountID, to new: PasswordHash, keeping kept: SessionID
  ) async throws(AccountError) -> [Session]
}

/// Where invitations are kept, under the digests of their codes.
package protocol InvitationStore: Sendable {
  /// Keeps an invitation.
  /// - Throws: `forbidden` where its maker is no owner any more.
  func insert(_ invitation: Invitation, digest: SecretDigest) async throws(AccountError)

  /// The invitation with this digest; nil where it is unknown or used.
  func invitation(digest: SecretDigest) async throws(AccountError) -> Invitation?

  /// Every unused invitation, the newest first.
  func invitations() async throws(AccountError) -> [Invitation]

  /// Forgets an invitation.
  /// - Throws: `notFound`.
  func deleteInvitation(_ id: InvitationID) async throws(AccountError)

  /// Forgets unused invitations that expired at or before `date`.
  func deleteInvitations(expiredBefore date: Date) async throws(AccountError)
}

/// Where sessions are kept, under the digests of their tokens.
package protocol SessionStore: Sendable {
  /// Keeps a session, and drops those that are over and, where its holder has more than `most` with
  /// it, the oldest of the others.
  /// - Parameter record: the account as it was when it was proven; nil for a guest's session.
  /// - Returns: those that were too many.
  /// - Throws: `notLoggedIn` where the account or pass is gone; `wrongCredentials` where the account
  ///   is entered with another password or factor by now: what was proven holds no more.
  func insert(
    _ session: Session, digest: SecretDigest, provenBy record: AccountRecord?,
    dropping ended: SessionCutoff, most: Int
  ) async throws(AccountError) -> [(digest: SecretDigest, session: Session)]

  /// The session with this digest and its holder as it is now.
  func session(digest: SecretDigest) async throws(AccountError) -> Session?

  /// The sessions of an account or guest pass.
  func sessions(
    of holder: AccountID
  ) async throws(AccountError) -> [(digest: SecretDigest, session: Session)]

  /// Puts another digest in the place of `old`, and notes a new proof.
  /// - Throws: `notLoggedIn` where there is no session with `old`.
  func replaceDigest(
    _ old: SecretDigest, with new: SecretDigest, proven: SteadyTime
  ) async throws(AccountError)

  /// Notes the last use; an unknown session is no error.
  func setLastSeen(_ date: Date, of session: SessionID) async throws(AccountError)

  /// Forgets sessions, all or none; an unknown one is no error.
  func deleteSessions(_ digests: [SecretDigest]) async throws(AccountError)

  /// Forgets the sessions that are over.
  func deleteSessions(_ ended: SessionCutoff) async throws(AccountError)
}

/// Where everything is kept that stands behind `AccountService`, a store a subject.
package struct GateStores: Sendable {
  package var accounts: any AccountStore
  package var invitations: any InvitationStore
  package var sessions: any SessionStore
  package var audit: any AuditStore
  package var people: any PeopleStore
  package var guestPasses: any GuestPassStore
  package var codes: any CodeStore
  package var contacts: any ContactStore
  package var factors: any FactorStore
  /// What seals the stores' most delicate values.
  package var key: SealingKey
  package var guesses: any LoginAttemptLog
  package var devices: any DeviceStore

  /// Takes one object that is all of them.
  package init(
    _ store: some AccountStore & InvitationStore & SessionStore & AuditStore & PeopleStore
      & GuestPassStore & CodeStore & ContactStore & FactorStore & LoginAttemptLog & DeviceStore,
    key: SealingKey
  ) {
    accounts = store
    invitations = store
    sessions = store
    audit = store
    people = store
    guestPasses = store
    codes = store
    contacts = store
    factors = store
    self.key = key
    guesses = store
    devices = store
  }
}
