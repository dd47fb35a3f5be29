import GRDB

extension DatabaseSchema {
  /// Failed attempts by account and source, and known devices.
  static func guesses(_ database: Database) throws {
    // No reference: the digests include addresses without an account.
    try database.execute(
      sql: """
        CREATE TABLE guesses (
          digest BLOB NOT NULL PRIMARY KEY,
          account BLOB,
          failures INTEGER NOT NULL,
          boot TEXT NOT NULL,
          lastAt INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX guessesAtAccount ON guesses (account);

        CREATE TABLE device (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          digest BLOB NOT NULL UNIQUE,
          account TEXT NOT NULL REFERENCES account ON DELETE CASCADE
        ) STRICT;

        CREATE INDEX deviceOfAccount ON device (account);
        """)
  }
}
