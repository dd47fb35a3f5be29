import Accounts
import Foundation
import GRDB

extension AccountDatabase: AuditStore {
  /// How many entries of one account or guest pass are kept, and of the controller itself. Each has
  /// a share of its own, so that nobody pushes out what others did. There is no bound by age: a clock
  /// that is wrong for a minute would empty the log.
  package static let mostEntriesOfOne = 10_000
  /// How many refusals of people who proved nothing are kept, all of them together.
  package static let mostStrangersEntries = 20_000
  /// The bounds are looked at once in so many entries, for everybody whose they are.
  static let tidyInterval: Int64 = 500

  package func append(_ entries: [AuditEntry]) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        for entry in entries { try Self.insert(entry, in: database) }
      }
    }
  }

  package func entries(
    newest limit: Int, since: Date?
  ) async throws(AccountError) -> [AuditEntry] {
    try await run {
      try await $0.read { database in
        try Row.fetchAll(
          database,
          sql: """
            SELECT at, deed, outcome, account, name, subject, address, device FROM audit
            WHERE at >= ? ORDER BY id DESC LIMIT ?
            """,
          arguments: [since?.milliseconds ?? .min, limit]
        ).reversed().map(Self.entry)
      }
    }
  }

  private static func insert(_ entry: AuditEntry, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO audit (at, deed, outcome, account, name, subject, address, device, isStranger)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        entry.at.milliseconds, entry.deed.rawValue, entry.outcome.word,
        entry.actor?.account?.text, entry.actor?.name, entry.subject, entry.origin.address,
        entry.origin.device, entry.actor?.account == nil && entry.outcome != .done,
      ])
    let id = database.lastInsertedRowID
    if id.isMultiple(of: tidyInterval) { try tidy(since: id - tidyInterval, in: database) }
  }

  /// Drops what is beyond their share, of all who have an entry after `id`.
  private static func tidy(since id: Int64, in database: Database) throws {
    let authors = try Row.fetchAll(
      database, sql: "SELECT DISTINCT account, isStranger FROM audit WHERE id > ?", arguments: [id])
    for author in authors {
      let account: String? = author["account"]
      let isStranger: Bool = author["isStranger"]
      // The newest that is too many is found through the index, by author and id.
      try database.execute(
        sql: """
          DELETE FROM audit WHERE account IS ?1 AND isStranger = ?2 AND id <= (
            SELECT id FROM audit WHERE account IS ?1 AND isStranger = ?2
            ORDER BY id DESC LIMIT 1 OFFSET ?3)
          """,
        arguments: [account, isStranger, isStranger ? mostStrangersEntries : mostEntriesOfOne])
    }
  }

  private static func entry(_ row: Row) throws -> AuditEntry {
    guard let deed = AuditDeed(rawValue: row["deed"]) else {
      throw StorageError.failed("the audit log has an entry of a kind that does not exist")
    }
    let name: String? = row["name"]
    let account: String? = row["account"]
    return AuditEntry(
      at: Date(milliseconds: row["at"]), deed: deed, outcome: AuditOutcome(word: row["outcome"]),
      actor: name.map { AuditActor(account: account.map { AccountID($0) }, name: $0) },
      subject: row["subject"], origin: Origin(address: row["address"], device: row["device"]))
  }
}
