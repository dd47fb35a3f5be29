import Accounts
import Foundation
import GRDB

/// The columns of the account table.
enum AccountRow {
  static let columns =
    "id, name, email, emailKey, role, passwordHash, createdAt, ageLimit, language"
  static let placeholders = "?, ?, ?, ?, ?, ?, ?, ?, ?"

  /// The values of `columns`, in their order.
  static func arguments(_ record: AccountRecord) -> StatementArguments {
    let account = record.account
    return [
      account.id.text, account.name.text, account.email.text, account.email.key,
      account.role.rawValue, record.passwordHash.text, account.createdAt.milliseconds,
      account.ageLimit, account.language?.rawValue,
    ]
  }

  /// Whether the account has an active second factor.
  static let hasSecondFactor = """
    EXISTS (SELECT 1 FROM secondFactor
      WHERE secondFactor.account = account.id AND activeSince IS NOT NULL)
    """

  /// Reads the account that meets a condition.
  /// - Throws: `StorageError` when this program did not write the row.
  static func record(
    _ database: Database, where condition: String, _ arguments: StatementArguments
  ) throws -> AccountRecord? {
    try Row.fetchOne(
      database,
      sql: """
        SELECT \(columns), \(hasSecondFactor) AS hasSecondFactor FROM account WHERE \(condition)
        """,
      arguments: arguments
    ).map { row in
      AccountRecord(
        account: try account(row), passwordHash: PasswordHash(row["passwordHash"]),
        hasSecondFactor: row["hasSecondFactor"])
    }
  }

  /// Reads the account of a row that has `columns`, or all but the hash.
  static func account(_ row: Row) throws -> Account {
    let id: String = row["id"]
    return Account(
      id: AccountID(id), name: DisplayName(stored: row["name"]),
      email: EmailAddress(stored: row["email"]),
      role: try role(row), createdAt: Date(milliseconds: row["createdAt"]),
      ageLimit: row["ageLimit"], language: try language(row))
  }

  private static func language(_ row: Row) throws -> Language? {
    guard let word: String = row["language"] else { return nil }
    guard let language = Language(rawValue: word) else {
      throw StorageError.failed("an account has a language that does not exist")
    }
    return language
  }

  /// Reads the column `role`; an unknown word is an error.
  static func role(_ row: Row) throws -> AccountRole {
    guard let role = AccountRole(rawValue: row["role"]) else {
      throw StorageError.failed("an account or invitation has a role that does not exist")
    }
    return role
  }
}
