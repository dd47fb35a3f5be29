import Accounts
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite struct KeyFileTests {
  private let fixture: StorageFixture
  private var path: String { fixture.folder + "/" + KeyFile.name }

  init() throws { fixture = try StorageFixture() }

  @Test("makes a key of 32 bytes that only its user can read, and keeps it")
  func made() throws {
    try fixture.open().close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(bytes.count == 32)
    #expect(try fixture.permissions(path) == 0o600)
    try fixture.open().close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test("removes other users' access to the key")
  func tightened() throws {
    try fixture.open().close()
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try fixture.open().close()
    #expect(try fixture.permissions(path) == 0o600)
  }

  @Test("leaves a read-only key without access for other users as it is")
  func readOnly() throws {
    try fixture.open().close()
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
    try fixture.open().close()
    #expect(try fixture.permissions(path) == 0o400)
  }

  @Test("refuses a key of another length, and a link", arguments: [0, 31, 33])
  func damaged(_ length: Int) async throws {
    try fixture.open().close()
    try Data(repeating: 1, count: length).write(to: URL(fileURLWithPath: path))
    let error = await refusal { () throws(StorageError) in try fixture.open() }
    #expect(error == .damagedKey(path))
    #expect(error?.code == .damagedKey)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
    let link = await refusal { () throws(StorageError) in try fixture.open() }
    #expect(link?.code == .failed)
  }

  @Test(
    "a damaged key is found before older tables are migrated: the older program still opens them")
  func damagedBeforeMigration() async throws {
    try fixture.makeOld()
    try Data(repeating: 1, count: 31).write(to: URL(fileURLWithPath: path))
    let error = await refusal { () throws(StorageError) in try fixture.open() }
    #expect(error?.code == .damagedKey)
    let tables = try DatabaseQueue(path: fixture.file)
    #expect(try await tables.read(DatabaseSchema.migrator.appliedMigrations) == ["1 accounts"])
  }
}
