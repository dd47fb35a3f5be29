import Accounts
import Foundation
import GRDB

/// The one SQLite file behind the stores: write-ahead log, every commit on the disk before it is
/// answered (`synchronous = FULL`), foreign keys on.
///
/// Reading goes on beside writing and when the disk is full; then what protects people is written all
/// the same (`protect`).
package final class TheaterDatabase: Sendable {
  /// The path of the file; `:memory:` where there is none.
  package let path: String
  let pool: any DatabaseWriter
  /// What seals the most delicate values.
  private let key: SealingKey
  private let clock: WallClock
  /// Nobody puts another file in the place of this one while it is open.
  private let lock: StateLock?
  /// What `protect` writes with when the disk is full; nil beside a controller, which has it.
  private let reserve: DiskReserve?

  /// The name of the file in its folder.
  package static let fileName = "theater.sqlite"

  /// Opens the database in `folder`, or makes it; brings an older one up to date, of which there is
  /// a backup then.
  /// - Parameters:
  ///   - folder: gets the mode 0700, the file in it 0600.
  ///   - clock: for the dates of saved positions, and the names of backups.
  /// - Throws: `newerSchema`, `damaged` with the newest good backup, `inUse`, `full` or `failed`;
  ///   the file is then as it was.
  package init(in folder: String, clock: WallClock = .system) throws(StorageError) {
    let backups = Backups(of: folder)
    let path = "\(backups.state)/\(Self.fileName)"
    self.path = path
    self.clock = clock
    do {
      try DurableFile.makeFolder(backups.state)
      lock = try StateLock(backups.state, exclusive: false)
      try DatabaseInspection(path: path, backups: backups).beforeOpening(at: clock.now())
      try DurableFile.make(path)
      pool = try Self.openPool(path)
      try Schema.migrator.migrate(pool)
      key = try KeyFile.key(in: folder)
      // Where there is no place for it nothing is worse than without.
      reserve = try? DiskReserve(in: backups.state)
    } catch {
      throw StorageError(error, at: path).atStart(path, backups)
    }
  }

  /// Opens the database in `folder` beside a controller that may use it.
  /// - Throws: `missing`, `newerSchema`, `olderSchema`, `damaged`, `inUse`, `full` or `failed`.
  package init(existingIn folder: String, clock: WallClock = .system) throws(StorageError) {
    let backups = Backups(of: folder)
    let path = "\(backups.state)/\(Self.fileName)"
    self.path = path
    self.clock = clock
    do {
      let inspection = DatabaseInspection(path: path, backups: backups)
      reserve = nil
      guard inspection.exists else { throw StorageError.noDatabase(path) }
      lock = try StateLock(backups.state, exclusive: false)
      key = try KeyFile.key(in: folder)
      pool = try Self.openPool(path)
      try pool.read(inspection.refuseOtherVersions)
    } catch {
      throw StorageError(error, at: path)
    }
  }

  /// Makes a database without a file, for tests of what stands before it.
  /// - Throws: `failed`, in practice for want of memory.
  package init(inMemory clock: WallClock) throws(StorageError) {
    path = ":memory:"
    key = .random()
    self.clock = clock
    lock = nil
    reserve = nil
    do {
      let queue = try DatabaseQueue(configuration: Self.configuration)
      try Schema.migrator.migrate(queue)
      pool = queue
    } catch {
      throw StorageError(error, at: path)
    }
  }

  /// The stores behind `AccountService`.
  package var gateStores: GateStores { GateStores(AccountDatabase(self), key: key) }

  /// Where playing stopped, for each user and item (E10).
  package var positions: PositionDatabase { PositionDatabase(database: self, clock: clock) }

  /// Moves the log into the file and closes it; further calls fail.
  /// - Throws: `failed` while something still reads.
  package func close() throws(StorageError) {
    do {
      // The last connection to close is one that only reads, and leaves the log where it is.
      try? pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try pool.close()
    } catch {
      throw StorageError(error, at: path)
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "theater"
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(5)
    // Each reader is a thread and a cache: what is asked often is cached above.
    configuration.maximumReaderCount = 2
    return configuration
  }

  private static func openPool(_ path: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: path, configuration: configuration)
    // GRDB sets NORMAL for write-ahead logs, which may lose the last commits with the power.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return pool
  }
}

extension TheaterDatabase {
  /// Runs `updates` in a transaction. Not cancellable: a client that goes away neither loses nor
  /// halves what it asked.
  func write<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      pool.asyncWrite(updates) { [reserve] _, result in
        // There was room: perhaps there is some for what was used of the reserve.
        if case .success = result { reserve?.take() }
        continuation.resume(with: result)
      }
    }
  }

  /// The same for what protects people and makes nothing larger: that a session is over, that
  /// somebody is out. On a full disk it is written with the reserve.
  func protect<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    guard let reserve else { return try await write(updates) }
    return try await withCheckedThrowingContinuation { continuation in
      pool.asyncWriteWithoutTransaction { database in
        // No other write to the database comes between giving it up and taking it again. The log
        // is moved into the database and cut: what it took is room for the reserve again, unless
        // somebody reads just then.
        continuation.resume(
          with: Result {
            try reserve.helping {
              try Self.commit(updates, in: database)
            } givingBack: {
              _ = try? database.checkpoint(.truncate)
            }
          })
      }
    }
  }

  private static func commit<Value>(
    _ updates: (Database) throws -> Value, in database: Database
  ) throws -> Value {
    var value: Value?
    try database.inTransaction {
      value = try updates(database)
      return .commit
    }
    guard let value else { throw StorageError.failed("a change was not made") }
    return value
  }

  /// Runs `query` against the last commit, beside any write.
  func read<Value: Sendable>(
    _ query: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      pool.asyncRead { database in
        continuation.resume(with: Result { try query(database.get()) })
      }
    }
  }
}
