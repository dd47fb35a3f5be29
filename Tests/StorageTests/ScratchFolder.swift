import Accounts
import Foundation
import GRDB
import Synchronization
import Testing

@testable import Storage

/// A folder of its own that goes when the test does, and what a controller opens in it.
final class ScratchFolder: Sendable {
  let path: String
  private let time = Mutex(Date(milliseconds: 1_800_000_000_000))
  private let sinceBoot = Mutex<Int64>(100_000)

  init() throws {
    path = NSTemporaryDirectory() + "theater-storage-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var folder: String { path + "/state" }
  var file: String { folder + "/" + TheaterDatabase.fileName }
  var now: Date { time.withLock { $0 } }
  var clock: WallClock { WallClock { self.now } }

  var steady: SteadyClock {
    SteadyClock { SteadyTime(boot: "one", milliseconds: self.sinceBoot.withLock { $0 }) }
  }

  /// Time passes.
  func advance(_ seconds: TimeInterval) {
    set(seconds)
    sinceBoot.withLock { $0 += Int64(seconds * 1000) }
  }

  /// Somebody sets the time of day ahead by so much, or back; no time passes.
  func set(_ seconds: TimeInterval) {
    time.withLock { $0 = $0.addingTimeInterval(seconds) }
  }

  func open() throws(StorageError) -> TheaterDatabase {
    try TheaterDatabase(in: folder, clock: clock)
  }

  /// A database as the first version of the program left it.
  func makeOld() throws {
    try DurableFile.makeFolder(folder)
    try DurableFile.make(file)
    let old = try DatabaseQueue(path: file)
    try Schema.migrator.migrate(old, upTo: "1 accounts")
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

  /// The bytes of every file in the folder: database, log and index.
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

/// People and what they type.
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

/// Takes messages instead of sending them.
final class Mailbox: MessageDelivery {
  private let messages = Mutex<[AccountMessage]>([])

  /// The newest code.
  var code: String? {
    messages.withLock { $0 }.reversed().lazy
      .compactMap { $0.text.prefixMatch(of: /[0-9]+/) }.first.map { String($0.output) }
  }

  func reaches(_ channel: CodeChannel) -> Bool { true }
  func deliver(_ message: AccountMessage) async throws(AccountError) { post(message) }
  func post(_ message: AccountMessage) { messages.withLock { $0.append(message) } }
}

/// The refusal that `body` ends with; nil where it succeeds.
func refusal<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async -> Failure? {
  do throws(Failure) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

/// Runs the tests of a suite as requests from the terminal of this machine.
struct TerminalOrigin: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Origin.$current.withValue(.terminal(user: nil, device: ""), operation: function)
  }
}

extension Trait where Self == TerminalOrigin {
  static var fromTerminal: Self { Self() }
}
