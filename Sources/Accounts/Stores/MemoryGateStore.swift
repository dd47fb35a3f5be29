import Foundation

/// A store without a disk, for tests of what stands before it; forgets everything with the process.
package actor MemoryGateStore: GateStore {
  private var accounts: [AccountID: AccountRecord] = [:]
  private var invitations: [SecretDigest: Invitation] = [:]
  private var sessions: [SecretDigest: Session] = [:]

  package init() {}
}

extension MemoryGateStore {
  package func hasAccounts() -> Bool { !accounts.isEmpty }

  package func insertFirst(_ record: AccountRecord) throws(AccountError) {
    guard accounts.isEmpty else { throw .setupClosed }
    accounts[record.account.id] = record
  }

  package func insert(
    _ record: AccountRecord, redeeming invitation: SecretDigest, at now: Date
  ) throws(AccountError) {
    guard let found = invitations[invitation], found.expires > now else { throw .codeInvalid }
    guard account(withEmail: record.account.email) == nil else { throw .taken }
    invitations[invitation] = nil
    accounts[record.account.id] = record
  }

  package func account(withEmail email: EmailAddress) -> AccountRecord? {
    accounts.values.first { $0.account.email == email }
  }

  package func replaceHash(
    _ old: PasswordHash, of account: AccountID, with new: PasswordHash
  ) {
    guard let record = accounts[account], record.passwordHash == old else { return }
    accounts[account] = AccountRecord(account: record.account, passwordHash: new)
  }
}

extension MemoryGateStore {
  package func insert(_ invitation: Invitation, digest: SecretDigest) {
    invitations[digest] = invitation
  }

  package func invitation(digest: SecretDigest) -> Invitation? { invitations[digest] }

  package func deleteInvitations(expiredBefore date: Date) {
    invitations = invitations.filter { $0.value.expires > date }
  }
}

extension MemoryGateStore {
  package func insert(
    _ session: Session, digest: SecretDigest, dropping ended: SessionCutoff
  ) {
    deleteSessions(ended)
    sessions[digest] = session
  }

  package func session(digest: SecretDigest) -> Session? { sessions[digest] }

  package func setLastSeen(_ date: Date, of session: SessionID) {
    for (digest, kept) in sessions where kept.id == session {
      sessions[digest]?.lastSeenAt = date
    }
  }

  package func deleteSession(digest: SecretDigest) { sessions[digest] = nil }

  package func deleteSessions(_ ended: SessionCutoff) {
    sessions = sessions.filter {
      $0.value.openedAt > ended.openedBefore && $0.value.lastSeenAt > ended.seenBefore
    }
  }
}
