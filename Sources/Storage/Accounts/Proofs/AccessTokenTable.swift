import Accounts
import Foundation
import GRDB
import JSON

extension AccountDatabase: AccessTokenStore {
  package func insert(
    _ token: AccessToken, digest: SecretDigest, most: Int, in session: SessionID
  ) async throws(AccountError) {
    try await run {
      try await $0.write { database in
        try database.execute(
          sql: "DELETE FROM accessToken WHERE account = ? AND expires <= ?",
          arguments: [token.account.text, token.madeAt.milliseconds])
        let count = try Int.fetchOne(
          database, sql: "SELECT COUNT(*) FROM accessToken WHERE account = ?",
          arguments: [token.account.text])
        guard count ?? 0 < most else { throw AccountError.tooManyTokens }
        do {
          try database.execute(
            sql: """
              INSERT INTO accessToken (digest, id, account, name, scopes, madeAs, madeAt, madeBoot,
                madeSteady, expires, usedAt, usedFrom)
              SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
              WHERE EXISTS (SELECT 1 FROM account JOIN session ON session.account = account.id
                WHERE account.id = ? AND role = ? AND session.id = ?)
              """,
            arguments: AccessTokenRow.arguments(token, digest: digest)
              + [token.account.text, token.madeAs.rawValue, session.text])
        } catch let error as DatabaseError
          where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
        {
          throw AccountError.tokenNameTaken
        }
        guard database.changesCount == 1 else { throw AccountError.notLoggedIn }
      }
    }
  }

  package func accessToken(
    digest: SecretDigest
  ) async throws(AccountError) -> (token: AccessToken, account: Account)? {
    try await run {
      try await $0.read { database in
        guard
          let row = try Row.fetchOne(
            database, sql: "SELECT * FROM accessToken WHERE digest = ?",
            arguments: [Data(digest.bytes)])
        else { return nil }
        let token = try AccessTokenRow.token(row)
        // The same read, so that both are of one moment.
        let record = try AccountRow.record(database, where: "id = ?", [token.account.text])
        return record.map { (token: token, account: $0.account) }
      }
    }
  }

  package func accessTokens(of account: AccountID) async throws(AccountError) -> [AccessToken] {
    try await run {
      try await $0.read {
        try Row.fetchAll(
          $0, sql: "SELECT * FROM accessToken WHERE account = ? ORDER BY madeAt DESC, id",
          arguments: [account.text]
        ).map { try AccessTokenRow.token($0) }
      }
    }
  }

  package func setLastUse(_ use: TokenUse, of token: TokenID) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: "UPDATE accessToken SET usedAt = ?, usedFrom = ? WHERE id = ?",
          arguments: [use.date.milliseconds, use.address, token.text])
      }
    }
  }

  package func deleteAccessTokens(_ ids: [TokenID]) async throws(AccountError) {
    try await run {
      try await $0.protect { database in
        for id in ids {
          try database.execute(
            sql: "DELETE FROM accessToken WHERE id = ?", arguments: [id.text])
        }
      }
    }
  }

  /// Deletes all tokens of an account.
  static func deleteAccessTokens(of account: AccountID, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM accessToken WHERE account = ?", arguments: [account.text])
  }
}

/// The columns of the table of access tokens.
enum AccessTokenRow {
  /// The values of all columns, in the order of the insert statement.
  static func arguments(_ token: AccessToken, digest: SecretDigest) -> StatementArguments {
    [
      Data(digest.bytes), token.id.text, token.account.text, token.name.text,
      JSON.array(token.scopes.map { .string($0.word) }).text(), token.madeAs.rawValue,
      token.madeAt.milliseconds, token.made.boot, token.made.milliseconds,
      token.expires.milliseconds, token.lastUse?.date.milliseconds, token.lastUse?.address,
    ]
  }

  /// Reads a token.
  /// - Throws: `StorageError` when this program did not write the row.
  static func token(_ row: Row) throws -> AccessToken {
    guard let words = (try? JSON(parsing: row["scopes"] as String))?.array?.compactMap(\.string),
      let role = AccountRole(rawValue: row["madeAs"])
    else { throw StorageError.failed("an access token does not say what it may do") }
    let used: Int64? = row["usedAt"]
    return AccessToken(
      id: TokenID(row["id"]), account: AccountID(row["account"]),
      name: DisplayName(stored: row["name"]),
      // A word that this version does not know permits nothing.
      scopes: words.compactMap { TokenScope(word: $0) }, madeAs: role,
      madeAt: Date(milliseconds: row["madeAt"]),
      made: SteadyTime(boot: row["madeBoot"], milliseconds: row["madeSteady"]),
      expires: Date(milliseconds: row["expires"]),
      lastUse: used.map { TokenUse(date: Date(milliseconds: $0), address: row["usedFrom"] ?? "") })
  }
}
