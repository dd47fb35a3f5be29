import GRDB

extension Schema {
  /// The audit log. Ids are never given twice.
  static func audit(_ database: Database) throws {
    // No reference to an account: what somebody did is to be read when the account is gone.
    try database.execute(
      sql: """
        CREATE TABLE audit (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          at INTEGER NOT NULL,
          deed TEXT NOT NULL,
          outcome TEXT NOT NULL,
          account TEXT,
          name TEXT,
          subject TEXT,
          address TEXT NOT NULL,
          device TEXT NOT NULL,
          isStranger INTEGER NOT NULL
        ) STRICT;

        CREATE INDEX auditOfStrangers ON audit (id) WHERE isStranger = 1;
        """)
  }

  /// Finds the newest entries of each author, by which the log is bounded.
  static func auditShares(_ database: Database) throws {
    try database.execute(
      sql: """
        DROP INDEX auditOfStrangers;
        CREATE INDEX auditOfAuthor ON audit (account, isStranger, id);
        """)
  }

  /// Counts repeats in one entry: how many, and when the last one was.
  static func auditCounts(_ database: Database) throws {
    try database.execute(
      sql: """
        ALTER TABLE audit ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE audit ADD COLUMN lastAt INTEGER NOT NULL DEFAULT 0;
        UPDATE audit SET lastAt = at;
        """)
  }
}
