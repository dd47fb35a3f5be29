import Accounts
import Foundation
import GRDB

extension AccountDatabase: FactorStore {
  /// The number of used steps that are stored: three for the window, the rest in case the clock is set
  /// back.
  private static let mostSteps = 100

  package func factor(of account: AccountID) async throws(AccountError) -> StoredFactor? {
    try await run {
      try await $0.read {
        try Row.fetchOne(
          $0, sql: "SELECT sealed, activeSince FROM secondFactor WHERE account = ?",
          arguments: [account.text]
        ).map { row in
          let sealed: Data = row["sealed"]
          let since: Int64? = row["activeSince"]
          return StoredFactor(sealed: Array(sealed), isActive: since != nil)
        }
      }
    }
  }

  package func enrol(sealed: [UInt8], of account: AccountID) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: """
            INSERT INTO secondFactor (account, sealed) VALUES (?, ?)
            ON CONFLICT (account) DO UPDATE SET sealed = excluded.sealed
            WHERE activeSince IS NULL
            """,
          arguments: [account.text, Data(sealed)])
        guard database.changesCount == 1 else { throw AccountError.factorActive }
      }
    }
  }

  package func activate(
    sealed: [UInt8], of account: AccountID, step: Int64, recoveryCodes: [SecretDigest],
    keeping kept: SessionID, at date: Date
  ) async throws(AccountError) -> [Session] {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: """
            UPDATE secondFactor SET activeSince = ?
            WHERE account = ? AND sealed = ? AND activeSince IS NULL
            """,
          arguments: [date.milliseconds, account.text, Data(sealed)])
        guard database.changesCount == 1 else { throw AccountError.noFactor }
        _ = try Self.use(step, of: account, in: database)
        try Self.replace(recoveryCodes, of: account, in: database)
        return try Self.endSessions(of: account, except: kept, in: database)
      }
    }
  }

  package func use(step: Int64, of account: AccountID) async throws(AccountError) -> Bool {
    try await run { try await $0.write { try Self.use(step, of: account, in: $0) } }
  }

  package func use(
    recoveryCode: SecretDigest, of account: AccountID
  ) async throws(AccountError) -> Bool {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: "DELETE FROM recoveryCode WHERE digest = ? AND account = ?",
          arguments: [Data(recoveryCode.bytes), account.text])
        return database.changesCount == 1
      }
    }
  }

  package func recoveryCodesLeft(of account: AccountID) async throws(AccountError) -> Int {
    try await run {
      try await $0.read {
        try Int.fetchOne(
          $0, sql: "SELECT count(*) FROM recoveryCode WHERE account = ?",
          arguments: [account.text]) ?? 0
      }
    }
  }

  package func replace(
    recoveryCodes: [SecretDigest], of account: AccountID
  ) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        let isActive = try Bool.fetchOne(
          database,
          sql: """
            SELECT EXISTS
              (SELECT 1 FROM secondFactor WHERE account = ? AND activeSince IS NOT NULL)
            """,
          arguments: [account.text])
        guard isActive == true else { throw AccountError.noFactor }
        try Self.replace(recoveryCodes, of: account, in: database)
      }
    }
  }

  package func removeFactor(of account: AccountID) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: "DELETE FROM secondFactor WHERE account = ?", arguments: [account.text])
        guard database.changesCount == 1 else { throw AccountError.noFactor }
      }
    }
  }

  // MARK: In a transaction

  private static func use(
    _ step: Int64, of account: AccountID, in database: Database
  ) throws -> Bool {
    try database.execute(
      sql: "INSERT OR IGNORE INTO usedStep (account, step) VALUES (?, ?)",
      arguments: [account.text, step])
    guard database.changesCount == 1 else { return false }
    try database.execute(
      sql: """
        DELETE FROM usedStep WHERE account = ?1 AND id NOT IN
          (SELECT id FROM usedStep WHERE account = ?1 ORDER BY id DESC LIMIT ?2)
        """,
      arguments: [account.text, mostSteps])
    return true
  }

  private static func replace(
    _ codes: [SecretDigest], of account: AccountID, in database: Database
  ) throws {
    try database.execute(
      sql: "DELETE FROM recoveryCode WHERE account = ?", arguments: [account.text])
    for code in codes {
      try database.execute(
        sql: "INSERT INTO recoveryCode (digest, account) VALUES (?, ?)",
        arguments: [Data(code.bytes), account.text])
    }
  }
}
