import Accounts
import GRDB

/// The contents of a verified database.
package struct BackupContents: Sendable, Hashable {
  /// The last step of the tables: `5 guesses`.
  package let schema: String
  /// The number of accounts.
  package let accounts: Int
  /// The number of saved positions.
  package let positions: Int
}

/// Verifies a database: its pages, references and tables, and this program's invariants of the rows.
enum DatabaseVerifier {
  /// Verifies everything.
  /// - Throws: `damaged` with the first finding, `newerSchema`, or SQLite's error.
  static func contents(_ database: Database, at path: String) throws -> BackupContents {
    try checkPages(database, at: path)
    if try DatabaseSchema.migrator.hasBeenSuperseded(database) {
      throw StorageError.newerSchema(path)
    }
    let applied = try DatabaseSchema.migrator.appliedMigrations(database)
    guard let schema = applied.last else {
      throw StorageError.damaged(path, because: "it has no tables")
    }
    if try database.foreignKeyViolations().next() != nil {
      throw StorageError.damaged(path, because: "it refers to what is not there")
    }
    for (violation, query) in invariants {
      if try Bool.fetchOne(database, sql: query) != true {
        throw StorageError.damaged(path, because: "it holds \(violation)")
      }
    }
    func count(_ table: String) throws -> Int {
      guard try database.tableExists(table) else { return 0 }
      return try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(table)") ?? 0
    }
    return BackupContents(
      schema: schema, accounts: try count("account"), positions: try count("position"))
  }

  /// Verifies the pages quickly, for every start.
  static func checkQuickly(_ database: Database, at path: String) throws {
    try check("PRAGMA quick_check(1)", database, at: path)
  }

  private static func checkPages(_ database: Database, at path: String) throws {
    try check("PRAGMA integrity_check(1)", database, at: path)
  }

  private static func check(_ pragma: String, _ database: Database, at path: String) throws {
    let answer = try String.fetchOne(database, sql: pragma)
    // SQLite's message may quote stored values.
    guard answer == "ok" else { throw StorageError.damaged(path, because: "its pages are broken") }
  }

  /// True for every database of this program, from the first schema on.
  private static let invariants: [(String, String)] = [
    (
      "accounts without an owner",
      """
      SELECT NOT EXISTS (SELECT 1 FROM account)
        OR EXISTS (SELECT 1 FROM account WHERE role = '\(AccountRole.owner.rawValue)')
      """
    ),
    (
      "an account with a role that does not exist",
      """
      SELECT NOT EXISTS (SELECT 1 FROM account WHERE role NOT IN
        (\(AccountRole.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", "))))
      """
    ),
    (
      "an address that does not match its key",
      "SELECT NOT EXISTS (SELECT 1 FROM account WHERE emailKey <> lower(email))"
    ),
    (
      "a session without a token",
      "SELECT NOT EXISTS (SELECT 1 FROM session WHERE length(digest) <> 32)"
    ),
  ]
}
