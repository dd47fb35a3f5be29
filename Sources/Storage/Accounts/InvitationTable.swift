import Accounts
import Foundation
import GRDB

extension AccountDatabase: InvitationStore {
  package func insert(
    _ invitation: Invitation, digest: SecretDigest
  ) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: """
            INSERT INTO invitation (digest, role, madeBy, madeAt, expires) VALUES (?, ?, ?, ?, ?)
            """,
          arguments: [
            Data(digest.bytes), invitation.role.rawValue, invitation.madeBy.text,
            invitation.madeAt.milliseconds, invitation.expires.milliseconds,
          ])
      }
    }
  }

  package func invitation(digest: SecretDigest) async throws(AccountError) -> Invitation? {
    try await run {
      try await $0.read {
        try Row.fetchOne(
          $0, sql: "SELECT role, madeBy, madeAt, expires FROM invitation WHERE digest = ?",
          arguments: [Data(digest.bytes)]
        ).map { row in
          Invitation(
            role: try AccountRow.role(row), madeBy: AccountID(row["madeBy"]),
            madeAt: Date(milliseconds: row["madeAt"]), expires: Date(milliseconds: row["expires"]))
        }
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
}
