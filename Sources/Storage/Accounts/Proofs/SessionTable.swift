import Accounts
import Foundation
import GRDB

extension AccountDatabase: SessionStore {
  package func insert(
    _ session: Session, digest: SecretDigest, provenBy record: AccountRecord?,
    dropping ended: SessionCutoff, most: Int
  ) async throws(AccountError) -> (session: Session, surplus: [Session]) {
    try await run {
      try await $0.write { database in
        try Self.delete(ended, in: database)
        if let record { try Self.expect(record, in: database) }
        do {
          try database.execute(
            sql: """
              INSERT INTO session (digest, id, account, pass, openedAt, openedBoot, openedSteady,
                lastSeenAt, provenBoot, provenSteady, address, device)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
              """,
            arguments: SessionRow.arguments(session, digest: digest))
        } catch let error as DatabaseError
          where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
        {
          throw AccountError.notLoggedIn
        }
        guard let stored = try Self.session(digest, in: database) else {
          throw AccountError.notLoggedIn
        }
        let surplus = try Self.endOldest(beside: stored, most: most, in: database)
        return (session: stored, surplus: surplus)
      }
    }
  }

  package func session(digest: SecretDigest) async throws(AccountError) -> Session? {
    try await run { try await $0.read { try Self.session(digest, in: $0) } }
  }

  package func sessions(of holder: AccountID) async throws(AccountError) -> [Session] {
    try await run { try await $0.read { try Self.sessions(of: holder, in: $0) } }
  }

  package func setLastSeen(_ date: Date, of session: SessionID) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: "UPDATE session SET lastSeenAt = ? WHERE id = ?",
          arguments: [date.milliseconds, session.text])
      }
    }
  }

  package func replaceDigest(
    _ old: SecretDigest, with new: SecretDigest, proven: SteadyTime
  ) async throws(AccountError) {
    try await run {
      try await $0.write {
        try $0.execute(
          sql: """
            UPDATE session SET digest = ?, provenBoot = ?, provenSteady = ? WHERE digest = ?
            """,
          arguments: [Data(new.bytes), proven.boot, proven.milliseconds, Data(old.bytes)])
        guard $0.changesCount == 1 else { throw AccountError.notLoggedIn }
      }
    }
  }

  package func deleteSessions(_ ids: [SessionID]) async throws(AccountError) {
    try await run {
      try await $0.protect { database in
        for id in ids { try Self.delete(id, in: database) }
      }
    }
  }

  package func deleteSessions(_ ended: SessionCutoff) async throws(AccountError) {
    try await run { try await $0.write { try Self.delete(ended, in: $0) } }
  }

  /// Checks that the account, unless it is gone, still has the credentials of `record`.
  private static func expect(_ record: AccountRecord, in database: Database) throws {
    let present = try AccountRow.record(database, where: "id = ?", [record.account.id.text])
    guard let present else { return }
    guard present.passwordHash == record.passwordHash,
      present.hasSecondFactor == record.hasSecondFactor
    else { throw AccountError.wrongCredentials }
  }

  /// The session with this digest and its holder.
  private static func session(
    _ digest: SecretDigest, in database: Database
  ) throws -> Session? {
    try SessionRow.fetch(database, where: "session.digest = ?", [Data(digest.bytes)]).first
  }

  /// The sessions of an account or guest pass.
  static func sessions(of holder: AccountID, in database: Database) throws -> [Session] {
    try SessionRow.fetch(
      database, where: "session.account = ? OR session.pass = ?", [holder.text, holder.text])
  }

  /// Deletes and returns the sessions of an account except `kept`.
  static func endSessions(
    of account: AccountID, except kept: SessionID? = nil, in database: Database
  ) throws -> [Session] {
    let ended = try sessions(of: account, in: database).filter { $0.id != kept }
    try database.execute(
      sql: "DELETE FROM session WHERE account = ? AND id IS NOT ?",
      arguments: [account.text, kept?.text])
    return ended
  }

  /// Deletes and returns the oldest sessions of the holder of `session` beyond `most`; `session` stays.
  private static func endOldest(
    beside session: Session, most: Int, in database: Database
  ) throws -> [Session] {
    let tooMany = try sessions(of: session.holder.id, in: database)
      .filter { $0.id != session.id }
      .sorted { $0.openedAt > $1.openedAt }
      .dropFirst(most - 1)
    for each in tooMany { try delete(each.id, in: database) }
    return Array(tooMany)
  }

  private static func delete(_ id: SessionID, in database: Database) throws {
    try database.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [id.text])
  }

  private static func delete(_ ended: SessionCutoff, in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM session WHERE pass IS NULL AND (openedAt <= ? OR lastSeenAt <= ?)
          OR pass IN (SELECT id FROM guestPass WHERE wallTablet = 0) AND openedAt <= ?
          OR pass IN (SELECT id FROM guestPass WHERE wallTablet = 1) AND lastSeenAt <= ?
        """,
      arguments: [
        ended.openedBefore.milliseconds, ended.seenBefore.milliseconds,
        ended.guestsBefore.milliseconds, ended.wallTabletsBefore.milliseconds,
      ])
  }
}

/// The columns of the session table, joined with the holder.
enum SessionRow {
  /// The values of all columns, in the order of the insert statement.
  static func arguments(_ session: Session, digest: SecretDigest) -> StatementArguments {
    var account: String?
    var pass: String?
    switch session.holder {
    case .account(let holder): account = holder.id.text
    case .guest(let holder): pass = holder.id.text
    }
    return [
      Data(digest.bytes), session.id.text, account, pass, session.openedAt.milliseconds,
      session.opened.boot, session.opened.milliseconds, session.lastSeenAt.milliseconds,
      session.proven.boot, session.proven.milliseconds, session.origin.address,
      session.origin.device,
    ]
  }

  /// The sessions that meet a condition.
  static func fetch(
    _ database: Database, where condition: String, _ arguments: StatementArguments
  ) throws -> [Session] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT session.id AS session, openedAt, openedBoot, openedSteady,
          lastSeenAt, provenBoot, provenSteady, address, device,
          account.id AS id, account.name, email, role, createdAt, account.ageLimit, language,
          \(GuestPassRow.joined)
        FROM session LEFT JOIN account ON account.id = session.account
          LEFT JOIN guestPass ON guestPass.id = session.pass
        WHERE \(condition)
        """,
      arguments: arguments
    ).map { try session($0) }
  }

  private static func session(_ row: Row) throws -> Session {
    let pass: String? = row[GuestPassRow.joinedID]
    return Session(
      id: SessionID(row["session"]),
      holder: pass == nil
        ? .account(try AccountRow.account(row)) : .guest(try GuestPassRow.joinedPass(row)),
      openedAt: Date(milliseconds: row["openedAt"]),
      opened: SteadyTime(boot: row["openedBoot"], milliseconds: row["openedSteady"]),
      lastSeenAt: Date(milliseconds: row["lastSeenAt"]),
      proven: SteadyTime(boot: row["provenBoot"], milliseconds: row["provenSteady"]),
      origin: Origin(address: row["address"], device: row["device"]))
  }
}
