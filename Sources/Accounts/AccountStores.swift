import Foundation

/// Stores accounts. Uniqueness is decided in one transaction, not by a query before a write.
public protocol AccountStore: Sendable {
  /// Whether there is any account.
  func hasAccounts() async throws(AccountError) -> Bool

  /// Stores the first account.
  /// - Throws: `setupClosed` when there is an account already.
  func insertFirst(_ record: AccountRecord) async throws(AccountError)

  /// Stores an account, uses up its invitation and, if given, the code that verifies its address or
  /// number: all or nothing.
  /// - Throws: `taken` when the address or number has an account; `codeInvalid` when the invitation
  ///   is unknown, used, or has expired at `now`; `codeExpired` when the code was used.
  func insert(
    _ record: AccountRecord, redeeming invitation: SecretDigest, confirming code: PendingCode?,
    at now: Date
  ) async throws(AccountError)

  /// The account with this address, compared by `EmailAddress.key`.
  func account(withEmail email: EmailAddress) async throws(AccountError) -> AccountRecord?

  /// Replaces the hash `old` by another of the same password; does nothing when the hash has changed.
  func replaceHash(
    _ old: PasswordHash, of account: AccountID, with new: PasswordHash
  ) async throws(AccountError)

  /// Replaces the hash `old` by that of another password, ends the account's sessions but `kept`, and
  /// voids its codes for login and new passwords: all or nothing.
  /// - Returns: The sessions that ended.
  /// - Throws: `wrongCredentials` when the hash has changed.
  func changePassword(
    _ old: PasswordHash, of account: AccountID, to new: PasswordHash, keeping kept: SessionID
  ) async throws(AccountError) -> [Session]
}

/// The stores behind `AccountService`, one for each subject.
public struct AccountStores: Sendable {
  /// The accounts, with the hashes of their passwords.
  public var accounts: any AccountStore
  /// The invitations that were not used, under the digests of their codes.
  public var invitations: any InvitationStore
  /// The sessions, under the digests of their tokens.
  public var sessions: any SessionStore
  /// The log of security events.
  public var audit: any AuditStore
  /// Names, roles, age limits and languages of accounts, and their removal.
  public var people: any PeopleStore
  /// The guest passes, under the digests of their codes.
  public var guestPasses: any GuestPassStore
  /// The pending one-time codes.
  public var codes: any CodeStore
  /// The verified e-mail addresses and phone numbers.
  public var contacts: any ContactStore
  /// The second factors, encrypted.
  public var factors: any FactorStore
  /// Encrypts secrets in the stores.
  public var key: SealingKey
  /// The failed attempts, by account and source.
  public var attempts: any LoginAttemptLog
  /// The devices that have logged in before.
  public var devices: any DeviceStore
  /// The access tokens, under the digests of their secrets.
  public var tokens: any AccessTokenStore

  /// Uses one object as all stores.
  public init(
    _ store: some AccountStore & InvitationStore & SessionStore & AuditStore & PeopleStore
      & GuestPassStore & CodeStore & ContactStore & FactorStore & LoginAttemptLog & DeviceStore
      & AccessTokenStore,
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
    attempts = store
    devices = store
    tokens = store
  }
}
