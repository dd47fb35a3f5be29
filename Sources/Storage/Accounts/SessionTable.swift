import Accounts
import Foundation
import GRDB

extension AccountDatabase: SessionStore {
  package func insert(
    _ session: Session, digest: SecretDigest, dropping ended: SessionCutoff
  ) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try Self.delete(ended, in: database)
        try database.execute(
          sql: """
            INSERT INTO session (digest, id, account, openedAt, lastSeenAt) VALUES (?, ?, ?, ?, ?)
            """,
          arguments: [
            Data(digest.bytes), session.id.text, session.account.id.text,
            session.openedAt.milliseconds, session.lastSeenAt.milliseconds,
          ])
      }
    }
  }

  package func session(digest: SecretDigest) async throws(AccountError) -> Session? {
    try await run {
      try await $0.read {
        try Row.fetchOne(
          $0,
          sql: """
            SELECT session.id AS session, openedAt, lastSeenAt,
              account.id AS id, name, email, role, createdAt
            FROM session JOIN account ON account.id = session.account WHERE digest = ?
            """,
          arguments: [Data(digest.bytes)]
        ).map { row in
          Session(
            id: SessionID(row["session"]), account: try AccountRow.account(row),
            openedAt: Date(milliseconds: row["openedAt"]),
            lastSeenAt: Date(milliseconds: row["lastSeenAt"]))
        }
      }
    }
  }

  package func setLastSeen(_ date: Date, of session: SessionID) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: "UPDATE session SET lastSeenAt = ? WHERE id = ?",
          arguments: [date.milliseconds, session.text])
      }
    }
  }

  package func deleteSession(digest: SecretDigest) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: "DELETE FROM session WHERE digest = ?", arguments: [Data(digest.bytes)])
      }
    }
  }

  package func deleteSessions(_ ended: SessionCutoff) async throws(AccountError) {
    try await run { try await $0.write { try Self.delete(ended, in: $0) } }
  }

  private static func delete(_ ended: SessionCutoff, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM session WHERE openedAt <= ? OR lastSeenAt <= ?",
      arguments: [ended.openedBefore.milliseconds, ended.seenBefore.milliseconds])
  }
}
