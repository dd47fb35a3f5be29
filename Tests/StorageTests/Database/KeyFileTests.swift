import Accounts
import Foundation
import Testing

@testable import Storage

@Suite struct KeyFileTests {
  private let fixture: StorageFixture
  private var path: String { fixture.folder + "/" + KeyFile.name }

  init() throws { fixture = try StorageFixture() }

  @Test("the key beside the database is 32 bytes for its user alone, and stays the same")
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

  @Test("a key of another length, or a link, is refused with what to do", arguments: [0, 31, 33])
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
}
