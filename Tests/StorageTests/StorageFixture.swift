import AccountTestSupport
import Accounts
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// The state folder of a controller, its database and backups, and the clocks of its machine.
final class StorageFixture: Sendable {
  private let temporary: TemporaryFolder
  private let machine = AccountClock()

  init() throws { temporary = try TemporaryFolder() }

  var path: String { temporary.path }
  var folder: String { path + "/state" }
  var file: String { folder + "/" + TheaterDatabase.fileName }
  var now: Date { machine.now }
  var clock: WallClock { machine.wall }
  var steady: SteadyClock { machine.steady }

  /// Moves both clocks by some seconds.
  func advance(_ seconds: TimeInterval) { machine.advance(seconds) }

  /// Sets the time of day forward or back by some seconds. The steady clock stands still.
  func set(_ seconds: TimeInterval) { machine.set(now.addingTimeInterval(seconds)) }

  func open() throws(StorageError) -> TheaterDatabase {
    try TheaterDatabase(in: folder, clock: clock)
  }

  /// Makes a database with the tables of the program's first version.
  func makeOld() throws {
    try DurableFile.makeFolder(folder)
    try DurableFile.makeFile(file)
    let old = try DatabaseQueue(path: file)
    try DatabaseSchema.migrator.migrate(old, upTo: "1 accounts")
    try old.close()
  }

  var backups: Backups { Backups(of: folder) }

  /// Changes bytes in the middle of a file, as a failing disk would.
  func damage(_ path: String) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: 4096 + 8)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 4000))
    try file.close()
  }

  /// An account service with cheap hashes.
  func accountService(
    _ database: TheaterDatabase, delivery: any MessageDelivery = NoDelivery(),
    codes: CodePolicy = .standard
  ) -> AccountService {
    AccountService(
      stores: database.accountStores, policy: AccountPolicy(codes: codes),
      hashing: Argon2Parameters(memoryKiB: 8, passes: 1, lanes: 1), delivery: delivery,
      clock: clock, steady: steady)
  }

  /// The bytes of every file in the state folder: database, log, index, key and reserve.
  func bytes() throws -> Data {
    try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: Data()) {
      $0.append(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($1)")))
    }
  }

  func permissions(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? Int ?? -1) & 0o777
  }
}

/// Requests and credentials of an owner and a member.
enum People {
  static let password = "four friends at the movies"

  static func owner(_ code: EntryCode, email: String = "anna@example.org") -> RegistrationRequest {
    RegistrationRequest(
      admission: .setupCode(code.text), name: "Anna", email: email, password: password)
  }

  static func member(
    _ code: EntryCode, email: String = "ben@example.org"
  ) -> RegistrationRequest {
    RegistrationRequest(
      admission: .invitation(code.text), name: "Ben", email: email, password: password)
  }

  static func credentials(_ email: String = "anna@example.org") -> PasswordCredentials {
    PasswordCredentials(email: email, password: password)
  }
}

/// Returns the error that `body` throws; nil if it succeeds.
func refusal<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async -> Failure? {
  do throws(Failure) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}
