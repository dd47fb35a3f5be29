import Accounts
import Foundation
import GRDB

extension AccountDatabase: InvitationStore {
  package func insert(
    _ invitation: Invitation, digest: SecretDigest
  ) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: """
            INSERT INTO invitation (digest, id, role, madeBy, madeAt, expires)
            SELECT ?, ?, ?, ?, ?, ?
            WHERE EXISTS (SELECT 1 FROM account WHERE id = ? AND role = ?)
            """,
          arguments: [
            Data(digest.bytes), invitation.id.text, invitation.role.rawValue,
            invitation.madeBy.text, invitation.madeAt.milliseconds,
            invitation.expires.milliseconds, invitation.madeBy.text, AccountRole.owner.rawValue,
          ])
        guard database.changesCount == 1 else { throw AccountError.forbidden("invite people") }
      }
    }
  }

  package func invitation(digest: SecretDigest) async throws(AccountError) -> Invitation? {
    try await fetch("WHERE digest = ?", [Data(digest.bytes)]).first
  }

  package func invitations() async throws(AccountError) -> [Invitation] {
    try await fetch("ORDER BY madeAt DESC, id", [])
  }

  package func deleteInvitation(_ id: InvitationID) async throws(AccountError) {
    try await run {
      try await $0.protect {
        try $0.execute(sql: "DELETE FROM invitation WHERE id = ?", arguments: [id.text])
        guard $0.changesCount == 1 else { throw AccountError.unknownInvitation }
      }
    }
  }

  package func deleteInvitations(expiredBefore date: Date) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: "DELETE FROM invitation WHERE expires <= ?", arguments: [date.milliseconds])
      }
    }
  }

  private func fetch(
    _ condition: String, _ arguments: StatementArguments
  ) async throws(AccountError) -> [Invitation] {
    try await run {
      try await $0.read { database in
        try Row.fetchAll(
          database,
          sql: "SELECT id, role, madeBy, madeAt, expires FROM invitation \(condition)",
          arguments: arguments
        ).map { row in
          Invitation(
            id: InvitationID(row["id"]), role: try AccountRow.role(row),
            madeBy: AccountID(row["madeBy"]), madeAt: Date(milliseconds: row["madeAt"]),
            expires: Date(milliseconds: row["expires"]))
        }
      }
    }
  }
}
