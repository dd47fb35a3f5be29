import Accounts
import Foundation
import GRDB

extension AccountDatabase: CodeStore {
  package func insert(
    _ code: PendingCode, within budgets: [SendBudget], most: Int?, by policy: CodePolicy
  ) async throws(AccountError) -> Duration {
    let wait = try await run {
      try await $0.write { database -> Result<Duration, AccountError> in
        let now = code.madeAt
        try Self.deleteVoid(by: policy, at: now, in: database)
        let wait = try Self.wait(of: budgets, at: now, in: database)
        // Returned, not thrown, so that the deletions above are committed.
        if wait > .zero { return .failure(.tooEarly(wait)) }
        if let most {
          let waiting = try Int.fetchOne(database, sql: "SELECT count(*) FROM oneTimeCode") ?? 0
          if waiting >= most { return .failure(.busy) }
        }
        try Self.insertOrReplace(code, in: database)
        for budget in budgets { try Self.countSend(at: budget.key, now, in: database) }
        return .success(try Self.wait(of: budgets, at: now, in: database))
      }
    }
    return try wait.get()
  }

  package func code(
    _ request: CodeRequestID, for purpose: CodePurpose, digest: SecretDigest, by policy: CodePolicy,
    at now: SteadyTime
  ) async throws(AccountError) -> PendingCode {
    let code = try await run {
      try await $0.write { database -> Result<PendingCode, AccountError> in
        guard
          let row = try Row.fetchOne(
            database, sql: "SELECT * FROM oneTimeCode WHERE request = ? AND purpose = ?",
            arguments: [request.text, purpose.rawValue]),
          let code = try Self.pendingCode(row),
          now.isWithin(policy.validity, of: code.madeAt)
        else { return .failure(.codeExpired) }
        if code.digest == digest { return .success(code) }
        let wrong: Int = row["wrongTries"] + 1
        guard wrong < policy.tries else {
          try Self.delete(request, in: database)
          return .failure(.codeExpired)
        }
        try database.execute(
          sql: "UPDATE oneTimeCode SET wrongTries = ? WHERE request = ?",
          arguments: [wrong, request.text])
        return .failure(.codeWrong(triesLeft: policy.tries - wrong))
      }
    }
    return try code.get()
  }

  package func redeem(
    _ code: PendingCode, for effect: CodeEffect, at date: Date
  ) async throws(AccountError) -> [Session] {
    try await run {
      try await $0.write { database in
        try Self.useUp(code, in: database)
        guard let account = code.account else { throw AccountError.codeExpired }
        return try Self.apply(effect, to: account, at: date, in: database)
      }
    }
  }

  package func deleteVoidCodes(
    by policy: CodePolicy, at now: SteadyTime
  ) async throws(AccountError) {
    try await run {
      try await $0.write { try Self.deleteVoid(by: policy, at: now, in: $0) }
    }
  }

  // MARK: In a transaction

  private static func insertOrReplace(_ code: PendingCode, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT OR REPLACE INTO oneTimeCode
          (target, request, purpose, account, channel, destination, digest, boot, madeAt)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        Data(code.target.bytes), code.request.text, code.purpose.rawValue, code.account?.text,
        code.destination?.channel.rawValue, code.destination?.text, Data(code.digest.bytes),
        code.madeAt.boot, code.madeAt.milliseconds,
      ])
  }

  /// Deletes the codes with which a person can log in to an account or set its password.
  static func deleteLoginAndResetCodes(of account: AccountID, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM oneTimeCode WHERE account = ? AND purpose IN (?, ?)",
      arguments: [
        account.text, CodePurpose.resetPassword.rawValue, CodePurpose.logIn.rawValue,
      ])
  }

  /// Deletes a code.
  /// - Throws: `codeExpired` when it was used meanwhile.
  static func useUp(_ code: PendingCode, in database: Database) throws {
    try delete(code.request, in: database)
    guard database.changesCount == 1 else { throw AccountError.codeExpired }
  }

  private static func countSend(
    at key: SecretDigest, _ now: SteadyTime, in database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO codeSend (target, boot, sentAt) VALUES (?, ?, ?)",
      arguments: [Data(key.bytes), now.boot, now.milliseconds])
  }

  private static func delete(_ request: CodeRequestID, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM oneTimeCode WHERE request = ?", arguments: [request.text])
  }

  /// The time until each of `budgets` allows a send.
  private static func wait(
    of budgets: [SendBudget], at now: SteadyTime, in database: Database
  ) throws -> Duration {
    try budgets.map { budget in
      try budget.wait(at: now) { try sends(at: $0, in: database) }
    }.max() ?? .zero
  }

  private static func sends(
    at key: SecretDigest, in database: Database
  ) throws -> [SteadyTime] {
    try Row.fetchAll(
      database, sql: "SELECT boot, sentAt FROM codeSend WHERE target = ?",
      arguments: [Data(key.bytes)]
    ).map { SteadyTime(boot: $0["boot"], milliseconds: $0["sentAt"]) }
  }

  /// Deletes void codes, among them those of another boot, and restarts the waits of another boot: see
  /// `SteadyTime`.
  ///
  /// A code of a later moment stays: it was made while this transaction waited for the database.
  private static func deleteVoid(
    by policy: CodePolicy, at now: SteadyTime, in database: Database
  ) throws {
    try database.execute(
      sql: "DELETE FROM oneTimeCode WHERE boot <> ? OR madeAt <= ? OR madeAt >= ?",
      arguments: [
        now.boot, now.milliseconds - policy.validity.milliseconds,
        now.milliseconds + policy.validity.milliseconds,
      ])
    try database.execute(
      sql: "UPDATE codeSend SET boot = ?, sentAt = ? WHERE boot <> ? OR sentAt > ?",
      arguments: [now.boot, now.milliseconds, now.boot, now.milliseconds])
    try database.execute(
      sql: "DELETE FROM codeSend WHERE sentAt <= ?",
      arguments: [now.milliseconds - policy.memory.milliseconds])
  }

  private static func pendingCode(_ row: Row) throws -> PendingCode? {
    let digest: Data = row["digest"]
    let target: Data = row["target"]
    guard let digest = SecretDigest(bytes: digest), let target = SecretDigest(bytes: target),
      let purpose = CodePurpose(rawValue: row["purpose"])
    else { return nil }
    let account: String? = row["account"]
    return PendingCode(
      request: CodeRequestID(row["request"]), purpose: purpose, target: target,
      account: account.map { AccountID($0) },
      destination: destination(row["channel"], row["destination"]), digest: digest,
      madeAt: SteadyTime(boot: row["boot"], milliseconds: row["madeAt"]))
  }

  private static func destination(_ channel: String?, _ text: String?) -> CodeDestination? {
    guard let text, let channel = channel.flatMap({ CodeChannel(rawValue: $0) }) else {
      return nil
    }
    switch channel {
    case .email: return .email(EmailAddress(stored: text))
    case .phone: return .phone(PhoneNumber(stored: text))
    }
  }
}

extension Duration {
  /// In whole milliseconds.
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
