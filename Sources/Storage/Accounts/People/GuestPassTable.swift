import Accounts
import Foundation
import GRDB
import JSON

extension AccountDatabase: GuestPassStore {
  package func insert(_ pass: GuestPass, digest: SecretDigest) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try Self.deleteGuestPasses(
          where: "expires <= ?", [pass.madeAt.milliseconds], in: database)
        try database.execute(
          sql: """
            INSERT INTO guestPass (digest, \(GuestPassRow.columns.joined(separator: ", ")))
            SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
            WHERE EXISTS (SELECT 1 FROM account WHERE id = ? AND role = ?)
            """,
          arguments: [
            Data(digest.bytes), pass.id.text, pass.name.text,
            JSON.array(pass.activities.map { .string($0) }).text(), pass.volumeLimit,
            pass.ageLimit, pass.madeBy.text, pass.madeAt.milliseconds, pass.expires.milliseconds,
            pass.isWallTablet, pass.madeBy.text, AccountRole.owner.rawValue,
          ])
        guard database.changesCount == 1 else { throw AccountError.forbidden("invite guests") }
      }
    }
  }

  package func guestPass(digest: SecretDigest) async throws(AccountError) -> GuestPass? {
    try await passes("SELECT * FROM guestPass WHERE digest = ?", [Data(digest.bytes)]).first
  }

  package func guestPasses() async throws(AccountError) -> [GuestPass] {
    try await passes("SELECT * FROM guestPass ORDER BY madeAt DESC, id", [])
  }

  package func deleteGuestPass(_ id: AccountID) async throws(AccountError) -> [Session] {
    try await run {
      try await $0.protect { database in
        let sessions = try Self.sessions(of: id, in: database)
        try Self.deleteGuestPasses(where: "id = ?", [id.text], in: database)
        guard database.changesCount == 1 else { throw AccountError.unknownGuestPass }
        return sessions
      }
    }
  }

  /// Deletes the guest passes that meet a condition, with their sessions and what is saved for them. The last
  /// statement deletes the passes, so `changesCount` is their number.
  static func deleteGuestPasses(
    where condition: String, _ arguments: StatementArguments, in database: Database
  ) throws {
    try DeletedUsers.insert("SELECT id FROM guestPass WHERE \(condition)", arguments, in: database)
    try database.execute(sql: "DELETE FROM guestPass WHERE \(condition)", arguments: arguments)
  }

  private func passes(
    _ sql: String, _ arguments: StatementArguments
  ) async throws(AccountError) -> [GuestPass] {
    try await run {
      try await $0.read {
        try Row.fetchAll($0, sql: sql, arguments: arguments).map { try GuestPassRow.pass($0) }
      }
    }
  }
}

/// The columns of the guest pass table, also in a joined row.
enum GuestPassRow {
  static let columns = [
    "id", "name", "activities", "volumeLimit", "ageLimit", "madeBy", "madeAt", "expires",
    "wallTablet",
  ]

  /// The columns for a join, renamed to avoid equal names.
  static let joined = columns.map { "guestPass.\($0) AS \(prefix)\($0)" }.joined(separator: ", ")
  /// The column that is null when there is no pass.
  static let joinedID = "\(prefix)id"
  private static let prefix = "pass_"

  static func joinedPass(_ row: Row) throws -> GuestPass { try pass(row, prefix: prefix) }

  /// Reads a row that has `columns`.
  /// - Throws: `StorageError` when this program did not write the row.
  static func pass(_ row: Row, prefix: String = "") throws -> GuestPass {
    let activities: String = row["\(prefix)activities"]
    guard let names = (try? JSON(parsing: activities))?.array?.compactMap(\.string) else {
      throw StorageError.failed("a guest pass names no activities")
    }
    return GuestPass(
      id: AccountID(row["\(prefix)id"]), name: DisplayName(stored: row["\(prefix)name"]),
      activities: names, volumeLimit: row["\(prefix)volumeLimit"],
      ageLimit: row["\(prefix)ageLimit"], madeBy: AccountID(row["\(prefix)madeBy"]),
      madeAt: Date(milliseconds: row["\(prefix)madeAt"]),
      expires: Date(milliseconds: row["\(prefix)expires"]),
      isWallTablet: row["\(prefix)wallTablet"])
  }
}
