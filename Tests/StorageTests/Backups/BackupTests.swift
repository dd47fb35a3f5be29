import AccountTestSupport
import Accounts
import Foundation
import GRDB
import Testing
import TheaterStorage

@testable import Storage

@Suite(.fromTerminal) struct BackupTests {
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  /// A database with an owner and a position, closed.
  private func makeDatabase() async throws {
    let database = try fixture.open()
    let accountService = fixture.accountService(database)
    let code = try #require(try await accountService.open())
    _ = try await accountService.registration.register(People.owner(code))
    try await database.positions.save(7, item: "jaws", user: "anna")
    try database.close()
  }

  private func position() async throws -> Double? {
    let database = try fixture.open()
    defer { try? database.close() }
    return try await database.positions.position(item: "jaws", user: "anna")
  }

  private func save(_ seconds: Double) async throws {
    let database = try fixture.open()
    try await database.positions.save(seconds, item: "jaws", user: "anna")
    try database.close()
  }

  @Test("a backup made while the database is in use holds the last commit, and is whole")
  func create() async throws {
    try await makeDatabase()
    let database = try fixture.open()
    try await database.positions.save(8, item: "alien", user: "anna")
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    let contents = try fixture.backups.verify(backup)
    #expect(contents.accounts == 1)
    #expect(contents.positions == 2)
    #expect(backup.name == "20270115T080000Z-asked")
    #expect(fixture.backups.all == [backup])
    try await database.positions.save(9, item: "alien", user: "anna")
  }

  @Test("only their user can read backups; each has the database and the key, no log, no draft")
  func permissions() async throws {
    try await makeDatabase()
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    #expect(try fixture.permissions(fixture.backups.folder) == 0o700)
    #expect(try fixture.permissions(backup.path) == 0o700)
    let files = try FileManager.default.contentsOfDirectory(atPath: backup.path)
    #expect(Set(files) == [TheaterDatabase.fileName, KeyFile.name])
    for file in files { #expect(try fixture.permissions("\(backup.path)/\(file)") == 0o600) }
    try fixture.backups.verify(backup)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: backup.path).sorted() == files.sorted())
    let all = try FileManager.default.contentsOfDirectory(atPath: fixture.backups.folder)
    #expect(all == [backup.name])
  }

  @Test("a backup removes the drafts of crashes, but not the draft that another process fills")
  func drafts() async throws {
    try await makeDatabase()
    let files = FileManager.default
    let names = [".draft-filled", ".draft-left"]
    for name in names {
      try files.createDirectory(
        atPath: "\(fixture.backups.folder)/\(name)", withIntermediateDirectories: true)
    }
    try files.setAttributes(
      [.modificationDate: Date() - 7200], ofItemAtPath: "\(fixture.backups.folder)/.draft-left")
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    let all = try files.contentsOfDirectory(atPath: fixture.backups.folder).sorted()
    #expect(all == [".draft-filled", backup.name])
  }

  @Test("restoring puts a backup in place and keeps what was there")
  func restore() async throws {
    try await makeDatabase()
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    try await save(99)
    let replaced = try #require(try fixture.backups.restore(backup, at: fixture.now))
    #expect(try await position() == 7)
    #expect(replaced.reason == .replaced)
    // The replaced database can be restored like any backup.
    try fixture.backups.restore(replaced, at: fixture.now)
    #expect(try await position() == 99)
    #expect(try fixture.permissions(fixture.file) == 0o600)
  }

  @Test(
    "after a power cut in a restore the old database stays, or the next opening ends the restore",
    arguments: [0, 1, 2])
  func interruptedRestore(moved: Int) async throws {
    try await makeDatabase()
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    try await save(99)
    // The folder as it stands before, during and after the moves of its files.
    let prepared = "\(fixture.folder)/.restoring"
    let files = FileManager.default
    try files.copyItem(atPath: backup.path, toPath: prepared + ".draft")
    #expect(try await position() == 99)
    try files.moveItem(atPath: prepared + ".draft", toPath: prepared)
    let names = try files.contentsOfDirectory(atPath: prepared).sorted()
    #expect(names.count == 2 && names.first == "theater.key")
    for name in names.prefix(moved) {
      for old in [name, "\(name)-wal", "\(name)-shm"] {
        try? files.removeItem(atPath: "\(fixture.folder)/\(old)")
      }
      try files.moveItem(atPath: "\(prepared)/\(name)", toPath: "\(fixture.folder)/\(name)")
    }
    #expect(try await position() == 7)
    #expect(!files.fileExists(atPath: prepared))
    try fixture.backups.restore(backup, at: fixture.now)
    #expect(
      try files.contentsOfDirectory(atPath: fixture.folder).allSatisfy { !$0.hasPrefix(".rest") })
  }

  @Test("restoring into an empty folder needs no earlier database")
  func restoreAfterLoss() async throws {
    try await makeDatabase()
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    for file in try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
    where file.hasPrefix("theater.") {
      try FileManager.default.removeItem(atPath: "\(fixture.folder)/\(file)")
    }
    #expect(try fixture.backups.restore(backup, at: fixture.now) == nil)
    #expect(try await position() == 7)
  }

  @Test("restoring is refused while another process uses the database, and changes nothing")
  func inUse() async throws {
    try await makeDatabase()
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    try await save(99)
    do {
      let database = try fixture.open()
      let error = await refusal { () throws(StorageError) in
        try fixture.backups.restore(backup, at: fixture.now)
      }
      #expect(error?.code == .inUse)
      #expect(try await database.positions.position(item: "jaws", user: "anna") == 99)
      try database.close()
    }
    #expect(fixture.backups.all == [backup])
    try fixture.backups.restore(backup, at: fixture.now)
  }

  @Test("a log that a crash left behind is kept aside, and never applied to the restored database")
  func staleLog() async throws {
    try await makeDatabase()
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    try await save(99)
    let log = fixture.file + "-wal"
    try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: log))
    let replaced = try #require(try fixture.backups.restore(backup, at: fixture.now))
    #expect(!FileManager.default.fileExists(atPath: log))
    #expect(FileManager.default.fileExists(atPath: replaced.database + "-wal"))
    #expect(try await position() == 7)
    // It is no log of SQLite, so the replaced database is restored without it.
    try fixture.backups.restore(replaced, at: fixture.now)
    #expect(try await position() == 99)
  }

  @Test("a database that was set aside after a crash is restored with the commits in its log")
  func logOfReplaced() async throws {
    try await makeDatabase()
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    let files = FileManager.default
    let crashed = fixture.path + "/crashed"
    do {
      let database = try fixture.open()
      try await database.positions.save(99, item: "jaws", user: "anna")
      // A crash leaves the files as they are while the database is open.
      try files.copyItem(atPath: fixture.folder, toPath: crashed)
      try database.close()
    }
    try files.removeItem(atPath: fixture.folder)
    try files.moveItem(atPath: crashed, toPath: fixture.folder)
    let replaced = try #require(try fixture.backups.restore(backup, at: fixture.now))
    #expect(files.fileExists(atPath: replaced.database + "-wal"))
    #expect(try await position() == 7)
    try fixture.backups.restore(replaced, at: fixture.now)
    #expect(try await position() == 99)
  }

  @Test("a damaged, cut, empty or missing backup is refused, and nothing is touched")
  func badBackups() async throws {
    try await makeDatabase()
    let damages: [(Backup) throws -> Void] = [
      { try fixture.damage($0.database) },
      { try FileHandle(forUpdating: URL(fileURLWithPath: $0.database)).truncate(atOffset: 5000) },
      { try FileHandle(forUpdating: URL(fileURLWithPath: $0.database)).truncate(atOffset: 0) },
      { try Data("no database".utf8).write(to: URL(fileURLWithPath: $0.database)) },
      { try FileManager.default.removeItem(atPath: $0.database) },
    ]
    for damage in damages {
      let backup = try fixture.backups.create(.asked, at: fixture.now)
      try damage(backup)
      let before = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
      let refusals = [
        await refusal { () throws(StorageError) in try fixture.backups.verify(backup).accounts },
        await refusal { () throws(StorageError) in
          try fixture.backups.restore(backup, at: fixture.now)?.name
        },
      ]
      for error in refusals {
        #expect([.damaged, .missing].contains(error?.code), "\(error?.message ?? "nothing")")
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.file)) == before)
      #expect(fixture.backups.newestGood == nil)
    }
  }

  @Test(
    "rejects a copy whose rows break a constraint",
    arguments: [
      "UPDATE account SET role = 'wizard'",
      "UPDATE account SET role = 'member'",
      "UPDATE account SET emailKey = 'other'",
      "PRAGMA foreign_keys = OFF; INSERT INTO device (digest, account) "
        + "VALUES (zeroblob(32), 'nobody')",
    ])
  func constraints(_ sql: String) async throws {
    try await makeDatabase()
    let queue = try DatabaseQueue(path: fixture.file)
    try await queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
    let error = await refusal { () throws(StorageError) in
      try fixture.backups.create(.asked, at: fixture.now)
    }
    #expect(error?.code == .damaged)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.backups.folder).isEmpty)
  }

  @Test("keeps seven daily backups, and all requested ones")
  func retention() async throws {
    try await makeDatabase()
    let asked = try fixture.backups.create(.asked, at: fixture.now)
    for _ in 0..<10 {
      fixture.advance(86_400)
      _ = try fixture.backups.create(.daily, at: fixture.now)
    }
    #expect(fixture.backups.all.count == 8)
    #expect(fixture.backups.all.last == asked)
    // Two backups of one second have different names, and a backup that was made after the clock
    // was set back is not deleted as the oldest.
    fixture.advance(-86_400 * 365)
    let one = try fixture.backups.create(.daily, at: fixture.now)
    let other = try fixture.backups.create(.daily, at: fixture.now)
    #expect(one != other)
    #expect(other.reason == .daily)
    #expect(fixture.backups.all.contains(other))
  }

  @Test("backs up an older database before its migration")
  func migration() async throws {
    try fixture.makeOld()
    let database = try fixture.open()
    let backup = try #require(fixture.backups.all.first)
    #expect(backup.reason == .before(2))
    #expect(try fixture.backups.verify(backup).schema == "1 accounts")
    try database.close()
    // No backup is made if nothing changes, nor of a new database.
    try fixture.open().close()
    #expect(fixture.backups.all.count == 1)
    let new = try StorageFixture()
    try new.open().close()
    #expect(new.backups.all.isEmpty)
  }

  @Test("refuses a damaged database, and names the command that restores the newest good backup")
  func damagedAtStart() async throws {
    try await makeDatabase()
    let good = try fixture.backups.create(.daily, at: fixture.now)
    fixture.advance(86_400)
    let bad = try fixture.backups.create(.daily, at: fixture.now)
    try fixture.damage(bad.database)
    for deed in [
      { try fixture.damage(fixture.file) },
      { try FileHandle(forUpdating: URL(fileURLWithPath: fixture.file)).truncate(atOffset: 0) },
    ] {
      try deed()
      let before = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
      let error = await refusal { () throws(StorageError) in try fixture.open() }
      #expect(error?.code == .damaged)
      #expect(error?.hint.contains("theater backup restore \(good.name)") == true)
      #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.file)) == before)
      try fixture.backups.restore(fixture.backups.find(good.name), at: fixture.now)
      #expect(try await position() == 7)
    }
  }

  @Test("a damaged database without a backup is not opened either")
  func damagedWithoutBackup() async throws {
    try await makeDatabase()
    try fixture.damage(fixture.file)
    let error = await refusal { () throws(StorageError) in try fixture.open() }
    #expect(error?.code == .damaged)
    #expect(error?.hint.contains("There is no good backup") == true)
  }

  @Test("a damaged database gets the hint of the database, also in a folder named like the key")
  func damagedInFolderNamedLikeTheKey() async throws {
    let folder = "\(fixture.path)/\(KeyFile.name)"
    try TheaterDatabase(in: folder).close()
    try fixture.damage("\(folder)/\(TheaterDatabase.fileName)")
    let error = await refusal { () throws(StorageError) in try TheaterDatabase(in: folder) }
    #expect(error?.code == .damaged)
    #expect(error?.hint.contains("There is no good backup") == true)
  }

  @Test("beside a running controller a missing or older database is refused, not made or migrated")
  func beside() async throws {
    let missing = await refusal { () throws(StorageError) in
      try TheaterDatabase(existingIn: fixture.folder)
    }
    #expect(missing?.code == .missing)
    try fixture.makeOld()
    let old = await refusal { () throws(StorageError) in
      try TheaterDatabase(existingIn: fixture.folder)
    }
    #expect(old?.code == .olderSchema)
    let database = try fixture.open()
    let other = try TheaterDatabase(existingIn: fixture.folder)
    try await other.positions.save(3, item: "jaws", user: "anna")
    #expect(try await database.positions.position(item: "jaws", user: "anna") == 3)
  }
}
