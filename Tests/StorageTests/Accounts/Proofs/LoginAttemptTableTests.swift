import Accounts
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite struct LoginAttemptTableTests {
  private let database: TheaterDatabase
  private let store: AccountDatabase
  private let now = SteadyTime(boot: "one", milliseconds: 1_000_000)

  init() throws {
    database = try TheaterDatabase(inMemory: .system)
    store = AccountDatabase(database)
  }

  private func key(_ number: Int) throws -> AttemptKey {
    let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 8 * 8)) }
    return AttemptKey(digest: try #require(SecretDigest(bytes: bytes)), account: nil)
  }

  private func record(_ number: Int, failures: Int, at time: SteadyTime? = nil) async throws {
    let tally = LoginAttemptTally(failures: failures, last: time ?? now)
    try await store.changeTallies([try key(number)]) { $0 = [tally] }
  }

  private func failures(_ number: Int) async throws -> Int? {
    try await store.changeTallies([try key(number)]) { $0.first??.failures }
  }

  private func rows() async throws -> Int {
    try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM guesses") ?? -1 }
  }

  @Test("counters of made-up addresses are bounded, and do not evict those of real guesses")
  func bounded() async throws {
    try await record(0, failures: 9)
    try await database.write { database in
      try database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO guesses (digest, failures, boot, lastAt)
          SELECT CAST(printf('%032d', i) AS BLOB), 1, 'one', 2000000 + i FROM n
          """, arguments: [AccountDatabase.mostTallies])
    }
    for number in 1...50 { try await record(number, failures: 1) }
    #expect(try await rows() <= AccountDatabase.mostTallies)
    #expect(try await failures(0) == 9)
    #expect(try await failures(50) == 1)
  }

  @Test("writes only changed rows")
  func unchanged() async throws {
    try await record(1, failures: 3)
    let before = try await database.read { $0.totalChangesCount }
    #expect(try await failures(1) == 3)
    #expect(try await database.read { $0.totalChangesCount } == before)
  }

  @Test("deletes old tallies, and carries those of an earlier boot over to this one")
  func carried() async throws {
    try await record(1, failures: 1, at: SteadyTime(boot: "one", milliseconds: 0))
    try await record(2, failures: 2, at: SteadyTime(boot: "zero", milliseconds: 0))
    try await record(3, failures: 3)
    try await store.migrateTallies(to: now, deletingOlderThan: .seconds(1_000))
    #expect(try await failures(1) == nil)
    #expect(try await failures(2) == 2)
    #expect(try await failures(3) == 3)
    let last = try await store.changeTallies([try key(2)]) { $0.first??.last }
    #expect(last == now)
  }

  @Test("keeps the last 50 known devices of an account, and deletes them with it")
  func devices() async throws {
    let account = Account(
      id: AccountID("a"), name: try DisplayName("Anna"),
      email: try EmailAddress("anna@example.org"), role: .owner, createdAt: Date(milliseconds: 0))
    try await store.insertFirst(
      AccountRecord(account: account, passwordHash: PasswordHash("unused")))
    for number in 1...60 { try await store.insertDevice(try key(number).digest, of: account.id) }
    #expect(try await !store.isDevice(try key(10).digest, of: account.email))
    #expect(try await store.isDevice(try key(11).digest, of: account.email))
    #expect(
      try await !store.isDevice(try key(60).digest, of: try EmailAddress("ben@example.org")))
    try await store.deleteDevice(try key(60).digest)
    #expect(try await !store.isDevice(try key(60).digest, of: account.email))
    try await database.write { try $0.execute(sql: "DELETE FROM account") }
    #expect(
      try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM device") } == 0)
  }
}
