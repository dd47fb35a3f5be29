import Accounts
import Foundation
import GRDB

/// The SQLite store behind `AccountService`. Its constraints keep values unique, and its transactions
/// decide between simultaneous changes.
package struct AccountDatabase: Sendable {
  let database: TheaterDatabase

  /// The stores of accounts in an open database.
  package init(_ database: TheaterDatabase) { self.database = database }

  /// Runs `body` and turns its errors into account errors.
  func run<Value>(
    _ body: (TheaterDatabase) async throws -> Value
  ) async throws(AccountError) -> Value {
    do {
      return try await body(database)
    } catch let error as AccountError {
      throw error
    } catch {
      throw AccountError(StorageError(error, at: database.path))
    }
  }
}

extension AccountDatabase: AccountStore {
  package func hasAccounts() async throws(AccountError) -> Bool {
    try await run {
      try await $0.read {
        try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM account)") ?? false
      }
    }
  }

  package func insertFirst(_ record: AccountRecord) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: """
            INSERT INTO account (founder, \(AccountRow.columns))
            SELECT 1, \(AccountRow.placeholders) WHERE NOT EXISTS (SELECT 1 FROM account)
            """,
          arguments: AccountRow.arguments(record))
        guard database.changesCount == 1 else { throw AccountError.setupClosed }
      }
    }
  }

  package func insert(
    _ record: AccountRecord, redeeming invitation: SecretDigest, confirming code: PendingCode?,
    at now: Date
  ) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: "DELETE FROM invitation WHERE digest = ? AND expires > ?",
          arguments: [Data(invitation.bytes), now.milliseconds])
        guard database.changesCount == 1 else { throw AccountError.codeInvalid }
        if let code { try Self.useUp(code, in: database) }
        do {
          try database.execute(
            sql: """
              INSERT INTO account (\(AccountRow.columns)) VALUES (\(AccountRow.placeholders))
              """,
            arguments: AccountRow.arguments(record))
        } catch let error as DatabaseError
          where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
        {
          throw AccountError.taken
        }
        switch code?.destination {
        case .email(let address):
          _ = try Self.apply(.email(address), to: record.account.id, at: now, in: database)
        case .phone(let number):
          _ = try Self.apply(.phone(number), to: record.account.id, at: now, in: database)
        case nil: break
        }
      }
    }
  }

  package func account(
    withEmail email: EmailAddress
  ) async throws(AccountError) -> AccountRecord? {
    try await run {
      try await $0.read {
        try AccountRow.record($0, where: "emailKey = ?", [email.key])
      }
    }
  }

  package func replaceHash(
    _ old: PasswordHash, of account: AccountID, with new: PasswordHash
  ) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: "UPDATE account SET passwordHash = ? WHERE id = ? AND passwordHash = ?",
          arguments: [new.text, account.text, old.text])
      }
    }
  }

  package func changePassword(
    _ old: PasswordHash, of account: AccountID, to new: PasswordHash, keeping kept: SessionID
  ) async throws(AccountError) -> [Session] {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: "UPDATE account SET passwordHash = ? WHERE id = ? AND passwordHash = ?",
          arguments: [new.text, account.text, old.text])
        guard database.changesCount == 1 else { throw AccountError.wrongPassword }
        try Self.deleteLoginAndResetCodes(of: account, in: database)
        return try Self.endSessions(of: account, except: kept, in: database)
      }
    }
  }
}

extension AccountError {
  /// Leaves out the inner state of the database, which only the log shows.
  init(_ error: StorageError) {
    self.init(
      error.code == .full ? .storageFull : .storageFailed, message: error.message,
      hint: error.hint)
  }
}
