import Accounts
import Foundation
import Storage

/// A store that counts session reads and last-seen writes, fails on request, and can run an action
/// of a test before it answers.
actor ProbeStore: AccountStore, InvitationStore, SessionStore {
  private let base: AccountDatabase
  /// The error of every write; nil to let writes succeed.
  private var writeFailure: AccountError?
  /// The error of the replacement of a password hash; nil to let it succeed.
  private var hashFailure: AccountError?
  private var readFailure: AccountError?
  private(set) var sessionReads = 0
  private(set) var seenWrites = 0
  /// Runs after the next read of a session, before the answer is given.
  private var afterNextSessionRead: (@Sendable () async -> Void)?
  /// Runs after the next list of sessions, before the answer is given.
  private var afterNextSessionList: (@Sendable () async -> Void)?
  /// Runs after the next replacement of a digest, before the answer is given.
  private var afterNextReplacement: (@Sendable () async -> Void)?

  /// - Parameter database: Holds the data; nil for a new database in memory.
  init(_ database: TheaterDatabase? = nil) throws {
    base = AccountDatabase(try database ?? TheaterDatabase(inMemory: .system))
  }

  func failWrites(with error: AccountError?) { writeFailure = error }

  func failHashReplacements(with error: AccountError?) { hashFailure = error }

  func failSessionReads(with error: AccountError?) { readFailure = error }

  func afterNextSessionRead(_ action: @escaping @Sendable () async -> Void) {
    afterNextSessionRead = action
  }

  func afterNextSessionList(_ action: @escaping @Sendable () async -> Void) {
    afterNextSessionList = action
  }

  func afterNextReplacement(_ action: @escaping @Sendable () async -> Void) {
    afterNextReplacement = action
  }

  private func write() throws(AccountError) {
    if let writeFailure { throw writeFailure }
  }

  func hasAccounts() async throws(AccountError) -> Bool {
    try await base.hasAccounts()
  }

  func insertFirst(_ record: AccountRecord) async throws(AccountError) {
    try write()
    try await base.insertFirst(record)
  }

  func insert(
    _ record: AccountRecord, redeeming invitation: SecretDigest, confirming code: PendingCode?,
    at now: Date
  ) async throws(AccountError) {
    try write()
    try await base.insert(record, redeeming: invitation, confirming: code, at: now)
  }

  func account(withEmail email: EmailAddress) async throws(AccountError) -> AccountRecord? {
    try await base.account(withEmail: email)
  }

  func replaceHash(
    _ old: PasswordHash, of account: AccountID, with new: PasswordHash
  ) async throws(AccountError) {
    try write()
    if let hashFailure { throw hashFailure }
    try await base.replaceHash(old, of: account, with: new)
  }

  func changePassword(
    _ old: PasswordHash, of account: AccountID, to new: PasswordHash, keeping kept: SessionID
  ) async throws(AccountError) -> [Session] {
    try write()
    return try await base.changePassword(old, of: account, to: new, keeping: kept)
  }

  func insert(_ invitation: Invitation, digest: SecretDigest) async throws(AccountError) {
    try write()
    try await base.insert(invitation, digest: digest)
  }

  func invitation(digest: SecretDigest) async throws(AccountError) -> Invitation? {
    try await base.invitation(digest: digest)
  }

  func invitations() async throws(AccountError) -> [Invitation] {
    try await base.invitations()
  }

  func deleteInvitation(_ id: InvitationID) async throws(AccountError) {
    try write()
    try await base.deleteInvitation(id)
  }

  func deleteInvitations(expiredBefore date: Date) async throws(AccountError) {
    try write()
    try await base.deleteInvitations(expiredBefore: date)
  }

  func insert(
    _ session: Session, digest: SecretDigest, provenBy record: AccountRecord?,
    dropping ended: SessionCutoff, most: Int
  ) async throws(AccountError) -> (session: Session, surplus: [Session]) {
    try write()
    return try await base.insert(
      session, digest: digest, provenBy: record, dropping: ended, most: most)
  }

  func session(digest: SecretDigest) async throws(AccountError) -> Session? {
    sessionReads += 1
    if let readFailure { throw readFailure }
    let session = try await base.session(digest: digest)
    let action = afterNextSessionRead
    afterNextSessionRead = nil
    await action?()
    return session
  }

  func setLastSeen(_ date: Date, of session: SessionID) async throws(AccountError) {
    try write()
    seenWrites += 1
    try await base.setLastSeen(date, of: session)
  }

  func sessions(of holder: AccountID) async throws(AccountError) -> [Session] {
    let sessions = try await base.sessions(of: holder)
    let action = afterNextSessionList
    afterNextSessionList = nil
    await action?()
    return sessions
  }

  func replaceDigest(
    _ old: SecretDigest, with new: SecretDigest, proven: SteadyTime
  ) async throws(AccountError) {
    try write()
    try await base.replaceDigest(old, with: new, proven: proven)
    let action = afterNextReplacement
    afterNextReplacement = nil
    await action?()
  }

  func deleteSessions(_ ids: [SessionID]) async throws(AccountError) {
    try write()
    try await base.deleteSessions(ids)
  }

  func deleteSessions(_ ended: SessionCutoff) async throws(AccountError) {
    try write()
    try await base.deleteSessions(ended)
  }
}
