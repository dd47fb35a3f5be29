import GRDB

extension DatabaseSchema {
  /// One-time codes, verified addresses and second factors.
  ///
  /// `boot` and the milliseconds beside it are a `SteadyTime`.
  static func proofs(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE oneTimeCode (
          target BLOB NOT NULL PRIMARY KEY,
          request TEXT NOT NULL UNIQUE,
          purpose TEXT NOT NULL,
          account TEXT REFERENCES account ON DELETE CASCADE,
          channel TEXT,
          destination TEXT,
          digest BLOB NOT NULL,
          wrongTries INTEGER NOT NULL DEFAULT 0,
          boot TEXT NOT NULL,
          madeAt INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE codeSend (
          id INTEGER NOT NULL PRIMARY KEY,
          target BLOB NOT NULL,
          boot TEXT NOT NULL,
          sentAt INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE contact (
          account TEXT NOT NULL PRIMARY KEY REFERENCES account ON DELETE CASCADE,
          emailKey TEXT,
          emailVerifiedAt INTEGER,
          phone TEXT UNIQUE,
          phoneVerifiedAt INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE secondFactor (
          account TEXT NOT NULL PRIMARY KEY REFERENCES account ON DELETE CASCADE,
          sealed BLOB NOT NULL,
          activeSince INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE usedStep (
          id INTEGER NOT NULL PRIMARY KEY,
          account TEXT NOT NULL REFERENCES secondFactor ON DELETE CASCADE,
          step INTEGER NOT NULL,
          UNIQUE (account, step)
        ) STRICT;

        CREATE TABLE recoveryCode (
          digest BLOB NOT NULL PRIMARY KEY,
          account TEXT NOT NULL REFERENCES secondFactor ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX codeOfAccount ON oneTimeCode (account);
        CREATE INDEX codeSendOfTarget ON codeSend (target);
        CREATE INDEX recoveryCodeOfAccount ON recoveryCode (account);
        """)
  }
}
