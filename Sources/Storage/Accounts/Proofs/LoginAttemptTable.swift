import Accounts
import Foundation
import GRDB

extension AccountDatabase: LoginAttemptLog {
  /// The most stored tallies. When the table is full, the entries with the shortest delay are evicted, so
  /// that made-up addresses do not displace the tally of a real one.
  package static let mostTallies = 10_000

  package func changeTallies<Value: Sendable>(
    _ keys: [AttemptKey], _ change: @escaping @Sendable (inout [LoginAttemptTally?]) -> Value
  ) async throws(AccountError) -> Value {
    try await run {
      try await $0.write { database in
        let before = try keys.map { try Self.tally($0, in: database) }
        var after = before
        let value = change(&after)
        for (key, tally) in zip(keys, zip(before, after)) where tally.0 != tally.1 {
          try Self.save(tally.1, at: key, isNew: tally.0 == nil, in: database)
        }
        return value
      }
    }
  }

  package func deleteTallies(at account: SecretDigest) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: "DELETE FROM guesses WHERE account = ?", arguments: [Data(account.bytes)])
      }
    }
  }

  package func migrateTallies(
    to now: SteadyTime, deletingOlderThan age: Duration
  ) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: "DELETE FROM guesses WHERE boot = ? AND lastAt <= ?",
          arguments: [now.boot, now.milliseconds - Int64(age / .milliseconds(1))])
        try database.execute(
          sql: "UPDATE guesses SET boot = ?, lastAt = ? WHERE boot <> ? OR lastAt > ?",
          arguments: [now.boot, now.milliseconds, now.boot, now.milliseconds])
      }
    }
  }

  private static func tally(_ key: AttemptKey, in database: Database) throws -> LoginAttemptTally? {
    try Row.fetchOne(
      database, sql: "SELECT failures, boot, lastAt FROM guesses WHERE digest = ?",
      arguments: [Data(key.digest.bytes)]
    ).map {
      LoginAttemptTally(
        failures: $0["failures"], last: SteadyTime(boot: $0["boot"], milliseconds: $0["lastAt"]))
    }
  }

  /// Inserts, updates or deletes the row of a tally.
  private static func save(
    _ tally: LoginAttemptTally?, at key: AttemptKey, isNew: Bool, in database: Database
  ) throws {
    let digest = Data(key.digest.bytes)
    guard let tally else {
      return try database.execute(
        sql: "DELETE FROM guesses WHERE digest = ?", arguments: [digest])
    }
    if isNew { try evictIfFull(in: database) }
    try database.execute(
      sql: """
        INSERT INTO guesses (digest, account, failures, boot, lastAt) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET
          failures = excluded.failures, boot = excluded.boot, lastAt = excluded.lastAt
        """,
      arguments: [
        digest, key.account.map { Data($0.bytes) }, tally.failures, tally.last.boot,
        tally.last.milliseconds,
      ])
  }

  private static func evictIfFull(in database: Database) throws {
    let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM guesses") ?? 0
    guard count >= mostTallies else { return }
    // A tenth at once, so that not every attempt of a flood pays for it.
    try database.execute(
      sql: """
        DELETE FROM guesses WHERE digest IN (
          SELECT digest FROM guesses ORDER BY failures, lastAt LIMIT ?)
        """,
      arguments: [mostTallies / 10])
  }
}

extension AccountDatabase: DeviceStore {
  /// The most known devices of an account.
  package static let mostDevices = 50

  package func insertDevice(
    _ digest: SecretDigest, of account: AccountID
  ) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: "INSERT INTO device (digest, account) VALUES (?, ?)",
          arguments: [Data(digest.bytes), account.text])
        try database.execute(
          sql: """
            DELETE FROM device WHERE account = ? AND id <= (
              SELECT id FROM device WHERE account = ? ORDER BY id DESC LIMIT 1 OFFSET ?)
            """,
          arguments: [account.text, account.text, Self.mostDevices])
      }
    }
  }

  package func isDevice(
    _ digest: SecretDigest, of email: EmailAddress?
  ) async throws(AccountError) -> Bool {
    try await run {
      try await $0.read {
        try Bool.fetchOne(
          $0,
          sql: """
            SELECT EXISTS (SELECT 1 FROM device JOIN account ON account.id = device.account
              WHERE digest = ?1 AND emailKey = ifnull(?2, emailKey))
            """,
          arguments: [Data(digest.bytes), email?.key]) ?? false
      }
    }
  }

  package func deleteDevice(_ digest: SecretDigest) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: "DELETE FROM device WHERE digest = ?", arguments: [Data(digest.bytes)])
      }
    }
  }
}
