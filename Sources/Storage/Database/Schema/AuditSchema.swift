import GRDB

extension DatabaseSchema {
  /// The audit log. Ids are never reused.
  static func audit(_ database: Database) throws {
    // No reference to an account: entries outlive accounts.
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

  /// Index of the newest entries of each author, for the limits of the log.
  static func auditShares(_ database: Database) throws {
    try database.execute(
      sql: """
        DROP INDEX auditOfStrangers;
        CREATE INDEX auditOfAuthor ON audit (account, isStranger, id);
        """)
  }

  /// Adds the number of repeats of an entry and the time of the last one.
  static func auditCounts(_ database: Database) throws {
    try database.execute(
      sql: """
        ALTER TABLE audit ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE audit ADD COLUMN lastAt INTEGER NOT NULL DEFAULT 0;
        UPDATE audit SET lastAt = at;
        """)
  }
}
