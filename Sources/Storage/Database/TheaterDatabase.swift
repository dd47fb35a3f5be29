import Accounts
import Foundation
import GRDB

/// The SQLite file behind the stores: write-ahead log, every commit on the disk before it returns
/// (`synchronous = FULL`), foreign keys on.
///
/// Reads run beside writes and on a full disk; security-relevant writes succeed on a full disk too
/// (`protect`).
public final class TheaterDatabase: Sendable {
  /// The path of the file; `:memory:` for none.
  public let path: String
  let pool: any DatabaseWriter
  /// Encrypts secrets.
  private let key: SealingKey
  /// The clock of saved positions and of the names of backups.
  package let clock: WallClock
  /// Prevents others from replacing the file while it is open.
  private let lock: StateLock?
  /// The reserve for `protect`; nil beside a running controller, which holds it.
  private let reserve: DiskReserve?

  /// The name of the file in its folder.
  public static let fileName = "theater.sqlite"

  /// Opens or makes the database in `folder`; migrates an older one after a backup.
  /// - Parameters:
  ///   - folder: Gets the mode 0700, the file in it 0600.
  ///   - clock: For the dates of saved positions and the names of backups.
  /// - Throws: `newerSchema`, `damaged` with the newest good backup, `damagedKey`, `inUse`, `full` or
  ///   `failed`. The file is unchanged then, unless the migration itself failed after its backup.
  public init(in folder: String, clock: WallClock = .system) throws(StorageError) {
    let backups = Backups(of: folder)
    let path = "\(backups.state)/\(Self.fileName)"
    self.path = path
    self.clock = clock
    do {
      try DurableFile.makeFolder(backups.state)
      try backups.finishInterruptedRestore()
      lock = try StateLock(backups.state, for: .sharing)
      try DatabaseInspection(path: path, backups: backups).checkBeforeOpening(at: clock.now())
      try DurableFile.makeFile(path)
      pool = try Self.openPool(path)
      // Before the migration: an older program could no longer use a migrated file.
      key = try KeyFile.loadOrCreate(in: folder)
      try DatabaseSchema.migrator.migrate(pool)
      // Without space for the reserve the database works as before.
      reserve = try? DiskReserve(in: backups.state)
    } catch {
      throw StorageError(error, at: path).withStartHint(path, backups)
    }
  }

  /// Opens the database in `folder`, which a controller may be using.
  /// - Throws: `missing`, `newerSchema`, `olderSchema`, `damaged`, `damagedKey`, `inUse`, `full` or `failed`.
  package init(existingIn folder: String, clock: WallClock = .system) throws(StorageError) {
    let backups = Backups(of: folder)
    let path = "\(backups.state)/\(Self.fileName)"
    self.path = path
    self.clock = clock
    do {
      let inspection = DatabaseInspection(path: path, backups: backups)
      reserve = nil
      try backups.finishInterruptedRestore()
      guard inspection.exists else { throw StorageError.noDatabase(path) }
      lock = try StateLock(backups.state, for: .sharing)
      key = try KeyFile.loadOrCreate(in: folder)
      pool = try Self.openPool(path)
      try pool.read(inspection.requireCurrentVersion)
    } catch {
      throw StorageError(error, at: path)
    }
  }

  /// Makes a database in memory, which ends with this object.
  /// - Throws: `failed`, in practice when out of memory.
  public init(inMemory clock: WallClock = .system) throws(StorageError) {
    path = ":memory:"
    key = .random()
    self.clock = clock
    lock = nil
    reserve = nil
    do {
      let queue = try DatabaseQueue(configuration: Self.configuration)
      try DatabaseSchema.migrator.migrate(queue)
      try queue.writeWithoutTransaction(DeletedUsers.makeTable)
      pool = queue
    } catch {
      throw StorageError(error, at: path)
    }
  }

  /// The stores behind `AccountService`: everything that it keeps.
  public var accountStores: AccountStores { AccountStores(AccountDatabase(self), key: key) }

  /// Reads or writes; an error names the file.
  package func attempt<Value: Sendable>(
    _ body: (TheaterDatabase) async throws -> Value
  ) async throws(StorageError) -> Value {
    do {
      return try await body(self)
    } catch {
      throw StorageError(error, at: path)
    }
  }

  /// Moves the log into the file and closes it; further calls fail.
  /// - Throws: `failed` while a read is running.
  public func close() throws(StorageError) {
    do {
      // The connection that closes last only reads, and would leave the log behind.
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
    // Few readers, as each is a thread and a cache; frequent queries are cached elsewhere.
    configuration.maximumReaderCount = 2
    return configuration
  }

  private static func openPool(_ path: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: path, configuration: configuration)
    // GRDB sets NORMAL for write-ahead logs, which may lose the last commits in a power cut.
    try pool.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA synchronous = FULL")
      try DeletedUsers.makeTable($0)
    }
    return pool
  }
}

extension TheaterDatabase {
  /// Runs `updates` in a transaction. Not cancellable, so that a disconnecting client does not lose its
  /// write.
  package func write<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      pool.asyncWrite(updates) { [reserve] _, result in
        // There is space again, perhaps also for the used part of the reserve.
        if case .success = result { reserve?.allocate() }
        continuation.resume(with: result)
      }
    }
  }

  /// Runs `updates` as `write` does, for writes that remove access (ending sessions, removing
  /// accounts) and do not grow the database. On a full disk they use the reserve.
  func protect<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    guard let reserve else { return try await write(updates) }
    return try await withCheckedThrowingContinuation { continuation in
      pool.asyncWriteWithoutTransaction { database in
        // No other write runs between releasing and allocating the reserve. Truncating the log frees
        // its space for the reserve, unless a read is running.
        continuation.resume(
          with: Result {
            try reserve.withReserve {
              try Self.commit(updates, in: database)
            } cleanUp: {
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

  /// Runs `query` on the last commit, beside any write.
  package func read<Value: Sendable>(
    _ query: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      pool.asyncRead { database in
        continuation.resume(with: Result { try query(database.get()) })
      }
    }
  }
}
