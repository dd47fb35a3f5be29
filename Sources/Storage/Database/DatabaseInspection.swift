import Foundation
import GRDB
import Glibc

/// Checks the integrity and the version of a database before it is used.
struct DatabaseInspection {
  let path: String
  let backups: Backups

  /// Whether there is a file.
  var exists: Bool { access(path, F_OK) == 0 }

  /// Checks an existing database, and makes a backup before its tables are changed. Uses a connection of
  /// its own, as opening a pool writes to the file.
  /// - Throws: `damaged`, `newerSchema`, `full` or `failed`.
  func checkBeforeOpening(at now: Date) throws {
    guard exists else { return }
    var status = stat()
    if stat(path, &status) == 0, status.st_size == 0 {
      // SQLite treats an empty file as a new database, which it is after a crash during the first start.
      if backups.newestGood == nil { return }
      throw StorageError.damaged(path, because: "it is empty")
    }
    let queue = try DatabaseQueue(path: path)
    let next = try queue.read { database in
      try DatabaseVerifier.checkQuickly(database, at: path)
      if try DatabaseSchema.migrator.hasBeenSuperseded(database) {
        throw StorageError.newerSchema(path)
      }
      return try DatabaseSchema.nextStep(database)
    }
    if let next { _ = try backups.create(.before(next), of: queue, at: now) }
    try queue.close()
  }

  /// Passes for a database of this version.
  func requireCurrentVersion(_ database: Database) throws {
    if try DatabaseSchema.migrator.hasBeenSuperseded(database) {
      throw StorageError.newerSchema(path)
    }
    if try DatabaseSchema.nextStep(database) != nil { throw StorageError.olderSchema(path) }
  }
}

extension DatabaseSchema {
  /// The first migration that a database lacks, counted from 1; nil when it has all or is new.
  fileprivate static func nextStep(_ database: Database) throws -> Int? {
    let taken = try migrator.appliedIdentifiers(database)
    guard !taken.isEmpty else { return nil }
    return migrator.migrations.firstIndex { !taken.contains($0) }.map { $0 + 1 }
  }
}

extension StorageError {
  /// The same error with a hint for the start of the controller.
  func withStartHint(_ path: String, _ backups: Backups) -> StorageError {
    switch code {
    case .full: .fullAtStart(path)
    case .damaged:
      StorageError(.damaged, message: message, hint: Self.damagedHint(backups))
    default: self
    }
  }
}
