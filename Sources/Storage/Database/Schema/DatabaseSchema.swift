import GRDB

/// The tables and their migrations. Migrations are only added at the end; there is no way back.
///
/// Dates are whole milliseconds since 1970. Secrets are digests (SHA-256, HMAC-SHA256), Argon2id
/// hashes, or encrypted with the key beside the database.
enum DatabaseSchema {
  /// Migrates a database to this version of the program.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 accounts", migrate: accounts)
    migrator.registerMigration("2 positions", migrate: positions)
    migrator.registerMigration("3 audit", migrate: audit)
    migrator.registerMigration("4 people", migrate: people)
    migrator.registerMigration("5 proofs", migrate: proofs)
    migrator.registerMigration("6 guesses", migrate: guesses)
    migrator.registerMigration("7 audit shares", migrate: auditShares)
    migrator.registerMigration("8 audit counts", migrate: auditCounts)
    migrator.registerMigration("9 language", migrate: language)
    migrator.registerMigration("10 wall tablets", migrate: wallTablets)
    migrator.registerMigration("11 device settings", migrate: deviceSettings)
    migrator.registerMigration("12 access tokens", migrate: accessTokens)
    migrator.registerMigration("13 room activities", migrate: roomActivities)
    return migrator
  }

  private static func accounts(_ database: Database) throws {
    // `founder` is 1 for the first account and null for others; as it is unique, the database decides
    // which account is the first.
    try database.execute(
      sql: """
        CREATE TABLE account (
          id TEXT NOT NULL PRIMARY KEY,
          name TEXT NOT NULL,
          email TEXT NOT NULL,
          emailKey TEXT NOT NULL UNIQUE,
          role TEXT NOT NULL,
          passwordHash TEXT NOT NULL,
          createdAt INTEGER NOT NULL,
          founder INTEGER UNIQUE CHECK (founder = 1)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE invitation (
          digest BLOB NOT NULL PRIMARY KEY,
          role TEXT NOT NULL,
          madeBy TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
          madeAt INTEGER NOT NULL,
          expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE session (
          digest BLOB NOT NULL PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          account TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
          openedAt INTEGER NOT NULL,
          lastSeenAt INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX sessionOfAccount ON session (account);
        CREATE INDEX invitationOfAccount ON invitation (madeBy);
        """)
  }

  private static func positions(_ database: Database) throws {
    // No reference to an account: the theater knows only names of users.
    try database.execute(
      sql: """
        CREATE TABLE position (
          user TEXT NOT NULL,
          item TEXT NOT NULL,
          seconds REAL NOT NULL CHECK (seconds >= 0),
          updatedAt INTEGER NOT NULL,
          PRIMARY KEY (user, item)
        ) STRICT, WITHOUT ROWID;
        """)
  }

  /// The settings of devices that outlive a restart of the controller, each value as JSON.
  private static func deviceSettings(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE deviceSetting (
          device TEXT NOT NULL,
          key TEXT NOT NULL,
          role TEXT NOT NULL,
          value TEXT NOT NULL,
          PRIMARY KEY (device, key)
        ) STRICT, WITHOUT ROWID;
        """)
  }

  /// What is on in each room. No reference to an account, as for positions.
  private static func roomActivities(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE roomActivity (
          room TEXT NOT NULL PRIMARY KEY,
          name TEXT NOT NULL,
          isScene INTEGER NOT NULL CHECK (isScene IN (0, 1)),
          endScene TEXT,
          player TEXT,
          item TEXT,
          user TEXT,
          volumeLimit INTEGER CHECK (volumeLimit BETWEEN 0 AND 100),
          ageLimit INTEGER
        ) STRICT, WITHOUT ROWID;
        """)
  }
}
