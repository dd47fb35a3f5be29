import Accounts
import Foundation
import GRDB

extension AccountDatabase: AuditStore {
  /// The most entries of one account, of one guest pass, and of the controller itself. Each has its own
  /// share and cannot displace the entries of others. There is no limit by age: a clock that is wrong for
  /// a minute would empty the log.
  package static let mostEntriesOfOne = 10_000
  /// The most refusals of strangers (unauthenticated people), all together. Beyond
  /// that, refusals of the busiest hours are removed first.
  package static let mostStrangersEntries = 20_000
  /// The most entries for the refusals of one address within an hour. Further refusals are counted
  /// in one entry for each action and outcome.
  package static let mostOfOneAddressInAnHour = 30
  /// The same once strangers have used half of `mostOfStrangersInAnHour`, so that a few addresses do not
  /// fill the hour.
  package static let mostInCrowdedHour = 3
  /// The most entries for the refusals of all strangers from the network within an hour. Further refusals are
  /// counted in one entry for each action and outcome, with the address `manyAddresses`, so that ever new
  /// addresses fill neither the hour nor the log.
  package static let mostOfStrangersInAnHour = 100
  /// The address of an entry that counts the refusals of several addresses.
  package static let manyAddresses = "many addresses"
  /// Number of entries between two checks of the bounds; a check covers all authors of new entries.
  static let cleanupInterval: Int64 = 500

  private static let hour: Int64 = 3_600_000

  package func append(_ entries: [AuditEntry]) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        for entry in entries { try Self.countOrInsert(entry, in: database) }
      }
    }
  }

  package func page(
    newest limit: Int, since: Date?, before place: Int64?
  ) async throws(AccountError) -> AuditPage {
    try await run {
      try await $0.read { database in
        // One more than requested, to find out whether there are earlier ones.
        let rows = try Row.fetchAll(
          database,
          sql: """
            SELECT id, at, deed, outcome, account, name, subject, address, device, count, lastAt
            FROM audit WHERE lastAt >= ? AND id < ? ORDER BY id DESC LIMIT ?
            """,
          arguments: [since?.milliseconds ?? .min, place ?? .max, limit + 1])
        let page = rows.prefix(limit)
        return AuditPage(
          entries: try page.reversed().map(Self.entry),
          before: rows.count > limit ? page.last.map { $0["id"] } : nil)
      }
    }
  }

  /// Counts a refusal in an equal entry of the last hour, or inserts an entry.
  private static func countOrInsert(_ entry: AuditEntry, in database: Database) throws {
    guard entry.outcome != .done else { return try insert(entry, in: database) }
    if try count(entry, in: database) { return }
    guard entry.isOfStranger else { return try insert(entry, in: database) }
    var entry = entry
    let address = entry.origin.address
    // A flood from the network must not hide who failed at this machine's own terminal.
    let total =
      entry.origin.isTerminal ? 0 : try networkEntries(since: entry.at, in: database)
    let most = total < mostOfStrangersInAnHour / 2 ? mostOfOneAddressInAnHour : mostInCrowdedHour
    if total >= mostOfStrangersInAnHour {
      entry = entry.summary(of: manyAddresses)
    } else if try entries(since: entry.at, from: address, in: database) >= most {
      entry = entry.summary(of: address)
    }
    if try count(entry, in: database) { return }
    try insert(entry, in: database)
  }

  /// Counts an entry in an equal one of the same source within the last hour.
  /// - Returns: false if there is none.
  private static func count(_ entry: AuditEntry, in database: Database) throws -> Bool {
    // Only 500 entries are searched: a source with more different refusals gets further entries.
    try database.execute(
      sql: """
        UPDATE audit SET count = count + ?1, lastAt = max(lastAt, ?2) WHERE id = (
          SELECT id FROM (
            SELECT * FROM audit WHERE account IS ?3 AND isStranger = ?4 ORDER BY id DESC LIMIT 500)
          WHERE at > ?2 - ?5 AND at <= ?2 AND deed = ?6 AND outcome = ?7 AND name IS ?8
            AND subject IS ?9 AND address = ?10
          ORDER BY id DESC LIMIT 1)
        """,
      arguments: [
        entry.count, entry.at.milliseconds, entry.actor?.account?.text, entry.isOfStranger, hour,
        entry.action.rawValue, entry.outcome.word, entry.actor?.name, entry.subject,
        entry.origin.address,
      ])
    return database.changesCount > 0
  }

  /// Returns the number of strangers' entries from the network within the last hour.
  private static func networkEntries(since now: Date, in database: Database) throws -> Int {
    try strangersEntries(since: now, where: "address NOT LIKE 'local%'", [], in: database)
  }

  /// Returns the number of strangers' entries from one address within the last hour.
  private static func entries(
    since now: Date, from address: String, in database: Database
  ) throws -> Int {
    try strangersEntries(since: now, where: "address = ?", [address], in: database)
  }

  private static func strangersEntries(
    since now: Date, where condition: String, _ arguments: StatementArguments,
    in database: Database
  ) throws -> Int {
    try Int.fetchOne(
      database,
      sql: """
        SELECT count(*) FROM (
          SELECT at, address FROM audit WHERE account IS NULL AND isStranger = 1
          ORDER BY id DESC LIMIT 500)
        WHERE at > ? AND at <= ? AND \(condition)
        """,
      arguments: [now.milliseconds - hour, now.milliseconds] + arguments) ?? 0
  }

  private static func insert(_ entry: AuditEntry, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO audit
          (at, deed, outcome, account, name, subject, address, device, isStranger, count, lastAt)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        entry.at.milliseconds, entry.action.rawValue, entry.outcome.word,
        entry.actor?.account?.text, entry.actor?.name, entry.subject, entry.origin.address,
        entry.origin.device, entry.isOfStranger, entry.count, entry.last.milliseconds,
      ])
    let id = database.lastInsertedRowID
    if id.isMultiple(of: cleanupInterval) {
      try deleteExcess(since: id - cleanupInterval, in: database)
    }
  }

  /// Removes the entries beyond their share, for all authors with an entry after `id`.
  private static func deleteExcess(since id: Int64, in database: Database) throws {
    let authors = try Row.fetchAll(
      database, sql: "SELECT DISTINCT account, isStranger FROM audit WHERE id > ?", arguments: [id])
    for author in authors {
      if author["isStranger"] {
        try deleteExcessOfStrangers(in: database)
      } else {
        try deleteExcess(of: author["account"], in: database)
      }
    }
  }

  /// Deletes the oldest entries beyond the share of an account, a pass or the controller.
  private static func deleteExcess(of account: String?, in database: Database) throws {
    // The index by author and id finds the newest entry beyond the share.
    try database.execute(
      sql: """
        DELETE FROM audit WHERE account IS ?1 AND isStranger = 0 AND id <= (
          SELECT id FROM audit WHERE account IS ?1 AND isStranger = 0
          ORDER BY id DESC LIMIT 1 OFFSET ?2)
        """,
      arguments: [account, mostEntriesOfOne])
  }

  /// Deletes strangers' entries beyond their share, from the busiest hours first, so that a flood
  /// displaces its own entries and not the few of a quiet hour.
  private static func deleteExcessOfStrangers(in database: Database) throws {
    let count =
      try Int.fetchOne(
        database, sql: "SELECT count(*) FROM audit WHERE account IS NULL AND isStranger = 1") ?? 0
    guard count > mostStrangersEntries else { return }
    try database.execute(
      sql: """
        DELETE FROM audit WHERE id IN (
          SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY at / ?1 ORDER BY count DESC, id) AS place
            FROM audit WHERE account IS NULL AND isStranger = 1)
          ORDER BY place DESC, id LIMIT ?2)
        """,
      arguments: [hour, count - mostStrangersEntries])
  }

  private static func entry(_ row: Row) throws -> AuditEntry {
    guard let action = AuditAction(rawValue: row["deed"]) else {
      throw StorageError.failed("the audit log has an entry of a kind that does not exist")
    }
    let name: String? = row["name"]
    let account: String? = row["account"]
    return AuditEntry(
      at: Date(milliseconds: row["at"]), action: action,
      outcome: AuditOutcome(word: row["outcome"]),
      actor: name.map { AuditActor(account: account.map { AccountID($0) }, name: $0) },
      subject: row["subject"], origin: Origin(address: row["address"], device: row["device"]),
      count: row["count"], last: Date(milliseconds: row["lastAt"]))
  }
}

extension AuditEntry {
  /// Whether it is a refusal of an unauthenticated person.
  fileprivate var isOfStranger: Bool { actor?.account == nil && outcome != .done }

  /// Returns the entry that counts such refusals from an address, for any claim.
  fileprivate func summary(of address: String) -> AuditEntry {
    AuditEntry(
      at: at, action: action, outcome: outcome, actor: nil, subject: nil,
      origin: Origin(address: address, device: ""), count: count, last: last)
  }
}
