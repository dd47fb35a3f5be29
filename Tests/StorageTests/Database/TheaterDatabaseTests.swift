import AccountTestSupport
import Accounts
import Foundation
import GRDB
import Testing
import TheaterStorage

@testable import Storage

@Suite(.fromTerminal) struct TheaterDatabaseTests {
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  @Test("the folder is for its owner alone, and so is each file in it")
  func permissions() async throws {
    try FileManager.default.createDirectory(
      atPath: fixture.folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    let database = try fixture.open()
    try await database.positions.save(1, item: "jaws", user: "anna")
    #expect(try fixture.permissions(fixture.folder) == 0o700)
    let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
    // The database, its log and index, the key and the reserve.
    #expect(files.count == 6)
    for file in files { #expect(try fixture.permissions("\(fixture.folder)/\(file)") == 0o600) }
  }

  @Test("commits are on the disk before they return, and foreign keys are enforced")
  func pragmas() throws {
    let database = try fixture.open()
    let (synchronous, journal, keys) = try database.pool.writeWithoutTransaction {
      (
        try Int.fetchOne($0, sql: "PRAGMA synchronous"),
        try String.fetchOne($0, sql: "PRAGMA journal_mode"),
        try Int.fetchOne($0, sql: "PRAGMA foreign_keys")
      )
    }
    #expect(synchronous == 2)
    #expect(journal == "wal")
    #expect(keys == 1)
  }

  @Test("a database of a newer version is refused with a next step, and left as it was")
  func newerSchema() async throws {
    let database = try fixture.open()
    try await database.positions.save(7, item: "jaws", user: "anna")
    try await database.pool.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('3 from the future')")
    }
    try database.close()
    let before = try fixture.bytes()
    #expect(before.count > 0)
    let error = await refusal { () throws(StorageError) in try fixture.open() }
    #expect(error?.code == .newerSchema)
    #expect(error?.message.contains(fixture.file) == true)
    #expect(error?.hint.contains("Install that version") == true)
    #expect(try fixture.bytes() == before)
  }

  @Test("migrates an older database when it is opened, and keeps its rows")
  func migrates() async throws {
    try fixture.makeOld()
    let old = try DatabaseQueue(path: fixture.file)
    try await old.write {
      try $0.execute(
        sql: """
          INSERT INTO account
            VALUES ('a', 'Anna', 'Anna@example.org', 'anna@example.org', 'owner', 'hash', 1, 1);
          INSERT INTO invitation VALUES (zeroblob(32), 'member', 'a', 1, 2);
          INSERT INTO session VALUES (zeroblob(32), 's', 'a', 3, 4);
          """)
    }
    try old.close()
    let database = try fixture.open()
    let (names, sessions, invitations) = try await database.read {
      (
        try String.fetchAll($0, sql: "SELECT name FROM account WHERE passwordHash = 'hash'"),
        try Int.fetchAll($0, sql: "SELECT lastSeenAt FROM session WHERE account = 'a'"),
        try Int.fetchAll($0, sql: "SELECT expires FROM invitation WHERE madeBy = 'a'")
      )
    }
    #expect(names == ["Anna"])
    #expect(sessions == [4])
    #expect(invitations == [2])
    try await database.positions.save(7, item: "jaws", user: "anna")
    #expect(try await database.positions.position(item: "jaws", user: "anna") == 7)
  }

  @Test("a file that is no database is refused and not overwritten")
  func damaged() async throws {
    try FileManager.default.createDirectory(
      atPath: fixture.folder, withIntermediateDirectories: true)
    let text = Data(String(repeating: "this is a letter, not a database. ", count: 200).utf8)
    try text.write(to: URL(fileURLWithPath: fixture.file))
    let error = await refusal { () throws(StorageError) in try fixture.open() }
    #expect(error?.code == .damaged)
    #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.file)) == text)
  }

  @Test("a folder that cannot be made is named")
  func noFolder() async throws {
    try Data().write(to: URL(fileURLWithPath: fixture.folder))
    let error = await refusal { () throws(StorageError) in try fixture.open() }
    #expect(error?.code == .failed)
    #expect(error?.message.contains(fixture.folder) == true)
  }

  @Test("on a full disk writes fail with their own code, reads work; with room writes work again")
  func full() async throws {
    let database = try fixture.open()
    try await database.positions.save(1, item: "jaws", user: "anna")
    let room = try await database.pool.writeWithoutTransaction {
      try Int.fetchOne($0, sql: "PRAGMA max_page_count = 1") ?? 0
    }
    let long = String(repeating: "x", count: 100_000)
    let error = await refusal { () async throws(StorageError) in
      try await database.positions.save(2, item: long, user: "anna")
    }
    #expect(error == .full)
    #expect(try await database.positions.position(item: "jaws", user: "anna") == 1)
    #expect(try await database.positions.position(item: long, user: "anna") == nil)
    try await database.pool.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA max_page_count = \(room + 1000)")
    }
    try await database.positions.save(2, item: long, user: "anna")
    #expect(try await database.positions.position(item: long, user: "anna") == 2)
  }

  @Test("every refusal says what happened and what to do, in sentences")
  func sentences() {
    let errors: [StorageError] = [
      .full, .newerSchema("a.sqlite"), .damaged("a.sqlite"), .failed("reason"),
      StorageError(DatabaseError(resultCode: .SQLITE_BUSY), at: "a.sqlite"),
    ]
    for error in errors {
      #expect(error.message.hasSuffix(".") && error.hint.hasSuffix("."))
      #expect("\(error)" == "\(error.message) \(error.hint)")
    }
  }
}
