import AccountTestSupport
import Accounts
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite(.fromTerminal) struct DiskReserveTests {
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  private var path: String { "\(fixture.path)/\(DiskReserve.name)" }

  /// The bytes that the reserve occupies on the disk.
  private func taken() throws -> Int {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return Int(status.st_blocks) * 512
  }

  /// Fails each try with `code`, and returns the size of the reserve at each try, in bytes.
  private func fails(_ code: ResultCode, in reserve: DiskReserve) throws -> [Int] {
    var seen: [Int] = []
    #expect(throws: DatabaseError.self) {
      try reserve.withReserve {
        seen.append(try taken())
        throw DatabaseError(resultCode: code)
      }
    }
    return seen
  }

  @Test(
    "releases the reserve for one retry on a full disk only, and allocates it again"
  )
  func given() throws {
    let reserve = try DiskReserve(in: fixture.path)
    #expect(try taken() >= DiskReserve.size)
    #expect(try fixture.permissions(path) == 0o600)
    var tries = 0
    let room = try reserve.withReserve {
      tries += 1
      if tries == 1 { throw DatabaseError(resultCode: .SQLITE_FULL) }
      return try taken()
    }
    #expect(tries == 2 && room == 0)
    #expect(try taken() >= DiskReserve.size)
    // `cleanUp` runs before the reserve is allocated again, and only if the reserve was used.
    var order: [Int] = []
    try reserve.withReserve {
      order.append(order.count)
      if order.count == 1 { throw DatabaseError(resultCode: .SQLITE_FULL) }
    } cleanUp: {
      order.append((try? taken()) == 0 ? 2 : -1)
    }
    try reserve.withReserve {
    } cleanUp: {
      order.append(-1)
    }
    #expect(order == [0, 1, 2])
    // If the second try fails too, the reserve is allocated again.
    #expect(try fails(.SQLITE_FULL, in: reserve).count == 2)
    #expect(try fails(.SQLITE_IOERR_SHMSIZE, in: reserve).last == 0)
    #expect(try fails(.SQLITE_BUSY, in: reserve).count == 1)
    #expect(try taken() >= DiskReserve.size)
    // The next start finds the file, and allocates the missing part.
    #expect(truncate(path, 4096) == 0)
    _ = try DiskReserve(in: fixture.path)
    #expect(try taken() >= DiskReserve.size)
  }

  @Test("counts no room for the log's index as a full disk")
  func index() {
    let error = DatabaseError(resultCode: .SQLITE_IOERR_SHMSIZE)
    #expect(StorageError(error, at: fixture.file) == .full)
  }

  @Test("works without the reserve file when it cannot be made")
  func noPlace() async throws {
    try FileManager.default.createDirectory(
      atPath: "\(fixture.folder)/\(DiskReserve.name)", withIntermediateDirectories: true)
    let database = try fixture.open()
    let accountService = fixture.accountService(database)
    let code = try #require(try await accountService.open())
    _ = try await accountService.registration.register(People.owner(code))
    let token = try await accountService.logIn(People.credentials()).token.text
    try await accountService.sessions.logOut(token)
  }
}
