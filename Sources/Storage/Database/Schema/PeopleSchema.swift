import GRDB

extension DatabaseSchema {
  /// The language of the page for a person; null for the browser's.
  static func language(_ database: Database) throws {
    try database.execute(sql: "ALTER TABLE account ADD COLUMN language TEXT")
  }

  /// Access tokens. `scopes` is a JSON list of their words; `made` with the boot beside it is a `SteadyTime`.
  static func accessTokens(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE accessToken (
          digest BLOB NOT NULL PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          account TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
          name TEXT NOT NULL,
          scopes TEXT NOT NULL,
          madeAs TEXT NOT NULL,
          madeAt INTEGER NOT NULL,
          madeBoot TEXT NOT NULL,
          madeSteady INTEGER NOT NULL,
          expires INTEGER NOT NULL,
          usedAt INTEGER,
          usedFrom TEXT,
          UNIQUE (account, name)
        ) STRICT, WITHOUT ROWID;
        """)
  }

  /// Passes of wall tablets.
  static func wallTablets(_ database: Database) throws {
    try database.execute(
      sql: "ALTER TABLE guestPass ADD COLUMN wallTablet INTEGER NOT NULL DEFAULT 0")
  }

  /// Guest passes, age limits, names for invitations; origin and last authentication of sessions.
  static func people(_ database: Database) throws {
    // SQLite cannot drop NOT NULL from a column, so the session table is made anew: a session belongs to
    // an account or to a pass. Open sessions stay open, without a recent authentication.
    try database.execute(
      sql: """
        ALTER TABLE account ADD COLUMN ageLimit INTEGER;

        ALTER TABLE invitation ADD COLUMN id TEXT;
        UPDATE invitation SET id = lower(hex(randomblob(8)));
        CREATE UNIQUE INDEX invitationID ON invitation (id);

        CREATE TABLE guestPass (
          digest BLOB NOT NULL PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          name TEXT NOT NULL,
          activities TEXT NOT NULL,
          volumeLimit INTEGER NOT NULL CHECK (volumeLimit BETWEEN 0 AND 100),
          ageLimit INTEGER,
          madeBy TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
          madeAt INTEGER NOT NULL,
          expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX guestPassOfAccount ON guestPass (madeBy);

        CREATE TABLE openSession (
          digest BLOB NOT NULL PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          account TEXT REFERENCES account ON DELETE CASCADE,
          pass TEXT REFERENCES guestPass (id) ON DELETE CASCADE,
          openedAt INTEGER NOT NULL,
          openedBoot TEXT NOT NULL,
          openedSteady INTEGER NOT NULL,
          lastSeenAt INTEGER NOT NULL,
          provenBoot TEXT NOT NULL,
          provenSteady INTEGER NOT NULL,
          address TEXT NOT NULL,
          device TEXT NOT NULL,
          CHECK ((account IS NULL) <> (pass IS NULL))
        ) STRICT, WITHOUT ROWID;
        INSERT INTO openSession
          SELECT digest, id, account, NULL, openedAt, '', 0, lastSeenAt, '', 0, '', ''
          FROM session;
        DROP TABLE session;
        ALTER TABLE openSession RENAME TO session;
        CREATE INDEX sessionOfAccount ON session (account);
        CREATE INDEX sessionOfPass ON session (pass);
        """)
  }
}
