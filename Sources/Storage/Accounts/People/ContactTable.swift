import Accounts
import Foundation
import GRDB

extension AccountDatabase: ContactStore {
  package func contact(of account: AccountID) async throws(AccountError) -> Contact {
    try await run {
      try await $0.read {
        // A verified address counts only while it is the account's address.
        let row = try Row.fetchOne(
          $0,
          sql: """
            SELECT iif(contact.emailKey = account.emailKey, emailVerifiedAt, NULL) AS emailSince,
              phone, phoneVerifiedAt
            FROM contact JOIN account ON account.id = contact.account WHERE account.id = ?
            """,
          arguments: [account.text])
        return Contact(
          emailVerifiedAt: date(row?["emailSince"]),
          phone: (row?["phone"] as String?).map { PhoneNumber(stored: $0) },
          phoneVerifiedAt: date(row?["phoneVerifiedAt"]))
      }
    }
  }

  package func record(of account: AccountID) async throws(AccountError) -> AccountRecord? {
    try await run {
      try await $0.read {
        try AccountRow.record($0, where: "id = ?", [account.text])
      }
    }
  }

  package func account(
    reachedAt destination: CodeDestination
  ) async throws(AccountError) -> Account? {
    let condition: String
    let text: String
    switch destination {
    case .email(let address):
      condition = "contact.emailKey = account.emailKey AND account.emailKey = ?"
      text = address.key
    case .phone(let number):
      condition = "phone = ?"
      text = number.text
    }
    return try await run {
      try await $0.read {
        try Row.fetchOne(
          $0,
          sql: """
            SELECT account.* FROM contact JOIN account ON account.id = contact.account
            WHERE \(condition)
            """,
          arguments: [text]
        ).map(AccountRow.account)
      }
    }
  }

  /// Applies the effect of a correct code. An effect also voids the account's codes for login and
  /// new passwords: they may have been sent to an address that is no longer the person's.
  /// - Returns: The sessions that ended with it.
  static func apply(
    _ effect: CodeEffect, to account: AccountID, at date: Date, in database: Database
  ) throws -> [Session] {
    do {
      switch effect {
      case .email(let address): try setEmail(address, of: account, at: date, in: database)
      case .phone(let number): try setPhone(number, of: account, at: date, in: database)
      case .password(let hash):
        try database.execute(
          sql: "UPDATE account SET passwordHash = ? WHERE id = ?",
          arguments: [hash.text, account.text])
      case .none: return []
      }
      try deleteLoginAndResetCodes(of: account, in: database)
      guard case .password = effect else { return [] }
      // Someone who knew the old password may have created tokens.
      try deleteAccessTokens(of: account, in: database)
      return try endSessions(of: account, in: database)
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
      throw AccountError.contactTaken(nil)
    }
  }

  private static func setEmail(
    _ address: EmailAddress, of account: AccountID, at date: Date, in database: Database
  ) throws {
    try database.execute(
      sql: "UPDATE account SET email = ?, emailKey = ? WHERE id = ?",
      arguments: [address.text, address.key, account.text])
    try database.execute(
      sql: """
        INSERT INTO contact (account, emailKey, emailVerifiedAt) VALUES (?, ?, ?)
        ON CONFLICT (account) DO UPDATE
        SET emailKey = excluded.emailKey, emailVerifiedAt = excluded.emailVerifiedAt
        """,
      arguments: [account.text, address.key, date.milliseconds])
  }

  private static func setPhone(
    _ number: PhoneNumber, of account: AccountID, at date: Date, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO contact (account, phone, phoneVerifiedAt) VALUES (?, ?, ?)
        ON CONFLICT (account) DO UPDATE
        SET phone = excluded.phone, phoneVerifiedAt = excluded.phoneVerifiedAt
        """,
      arguments: [account.text, number.text, date.milliseconds])
  }
}

private func date(_ milliseconds: Int64?) -> Date? { milliseconds.map { Date(milliseconds: $0) } }
