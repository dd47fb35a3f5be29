import GRDB

/// The accounts and guest passes that were deleted since the database was opened; nothing is saved for them. The
/// writing connection keeps them in a temporary table, so that a deletion that is rolled back is not recorded.
/// Identifiers are never used again, so no new account is affected.
enum DeletedUsers {
  /// Records the users whose ids a query finds, deletes their positions, and forgets that they began what is on.
  static func insert(
    _ query: String, _ arguments: StatementArguments, in database: Database
  ) throws {
    let statements = [
      "INSERT OR IGNORE INTO temp.deletedUser \(query)",
      "DELETE FROM position WHERE user IN (\(query))",
      "UPDATE roomActivity SET user = NULL WHERE user IN (\(query))",
    ]
    for sql in statements { try database.execute(sql: sql, arguments: arguments) }
  }

  static func makeTable(_ database: Database) throws {
    try database.execute(
      sql: """
        PRAGMA temp_store = MEMORY;
        CREATE TEMP TABLE deletedUser (id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
        """)
  }
}
