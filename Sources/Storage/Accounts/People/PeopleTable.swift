import Accounts
import GRDB

extension AccountDatabase: PeopleStore {
  package func people() async throws(AccountError) -> [Account] {
    try await run {
      try await $0.read {
        try Row.fetchAll(
          $0, sql: "SELECT \(AccountRow.columns) FROM account ORDER BY createdAt, id"
        ).map { try AccountRow.account($0) }
      }
    }
  }

  package func setRole(
    _ role: AccountRole, of account: AccountID
  ) async throws(AccountError) -> [Session] {
    try await run {
      try await $0.protect { database in
        if role != .owner { try Self.checkOwnerRemains(without: account, in: database) }
        try Self.update("role", role.rawValue, of: account, in: database)
        guard role != .owner else { return [] }
        // An owner's invitations and passes end with the role.
        let sessions = try Self.guestSessions(by: account, in: database)
        try database.execute(
          sql: "DELETE FROM invitation WHERE madeBy = ?", arguments: [account.text])
        try Self.deleteGuestPasses(where: "madeBy = ?", [account.text], in: database)
        return sessions
      }
    }
  }

  package func setAgeLimit(
    _ years: Int?, of account: AccountID
  ) async throws(AccountError) {
    try await run {
      try await $0.write { try Self.update("ageLimit", years, of: account, in: $0) }
    }
  }

  package func setName(
    _ name: DisplayName, of account: AccountID
  ) async throws(AccountError) {
    try await run {
      try await $0.write { try Self.update("name", name.text, of: account, in: $0) }
    }
  }

  package func setLanguage(
    _ language: Language?, of account: AccountID
  ) async throws(AccountError) {
    try await run {
      try await $0.write { try Self.update("language", language?.rawValue, of: account, in: $0) }
    }
  }

  package func removeAccount(_ account: AccountID) async throws(AccountError) -> [Session] {
    try await run {
      try await $0.protect { database in
        try Self.checkOwnerRemains(without: account, in: database)
        let sessions =
          try Self.sessions(of: account, in: database)
          + Self.guestSessions(by: account, in: database)
        // Before the account: deleting the account would delete the passes by cascade, and keep the guests' positions.
        try Self.deleteGuestPasses(where: "madeBy = ?", [account.text], in: database)
        try database.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [account.text])
        guard database.changesCount == 1 else { throw AccountError.unknownAccount }
        try DeletedUsers.insert("VALUES (?)", [account.text], in: database)
        return sessions
      }
    }
  }

  private static func checkOwnerRemains(
    without account: AccountID, in database: Database
  ) throws {
    let others = try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE role = ? AND id <> ?)",
      arguments: [AccountRole.owner.rawValue, account.text])
    guard others == true else { throw AccountError.lastOwner }
  }

  private static func update(
    _ column: String, _ value: (any DatabaseValueConvertible)?, of account: AccountID,
    in database: Database
  ) throws {
    try database.execute(
      sql: "UPDATE account SET \(column) = ? WHERE id = ?", arguments: [value, account.text])
    guard database.changesCount == 1 else { throw AccountError.unknownAccount }
  }

  /// The sessions of guests with a pass of an account.
  private static func guestSessions(
    by account: AccountID, in database: Database
  ) throws -> [Session] {
    try SessionRow.fetch(database, where: "guestPass.madeBy = ?", [account.text])
  }
}
