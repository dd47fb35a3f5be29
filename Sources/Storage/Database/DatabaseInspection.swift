import Foundation
import GRDB
import Glibc

/// What is looked at before a database is used: whether it is whole, and of which version.
struct DatabaseInspection {
  let path: String
  let backups: Backups

  /// Whether there is a file.
  var exists: Bool { access(path, F_OK) == 0 }

  /// Looks at an existing database, and makes a backup where it is about to be changed. Uses a
  /// connection of its own, since opening a pool writes to the file.
  /// - Throws: `damaged`, `newerSchema`, `full` or `failed`.
  func beforeOpening(at now: Date) throws {
    guard exists else { return }
    var status = stat()
    if stat(path, &status) == 0, status.st_size == 0 {
      // SQLite takes an empty file for a new database. After a crash in the very first start it is.
      if backups.newestGood == nil { return }
      throw StorageError.damaged(path, because: "it is empty")
    }
    let queue = try DatabaseQueue(path: path)
    let next = try queue.read { database in
      try BackupCheck.checkQuickly(database, at: path)
      if try Schema.migrator.hasBeenSuperseded(database) { throw StorageError.newerSchema(path) }
      return try Schema.nextStep(database)
    }
    if let next { _ = try backups.create(.before(next), of: queue, at: now) }
    try queue.close()
  }

  /// Passes for a database of this very version.
  func refuseOtherVersions(_ database: Database) throws {
    if try Schema.migrator.hasBeenSuperseded(database) { throw StorageError.newerSchema(path) }
    if try Schema.nextStep(database) != nil { throw StorageError.olderSchema(path) }
  }
}

extension Schema {
  /// The first step that a database has not taken, counted from 1; nil where it has taken all, or
  /// where it is new.
  fileprivate static func nextStep(_ database: Database) throws -> Int? {
    let taken = try migrator.appliedIdentifiers(database)
    guard !taken.isEmpty else { return nil }
    return migrator.migrations.firstIndex { !taken.contains($0) }.map { $0 + 1 }
  }
}

extension StorageError {
  /// The same for somebody who starts the controller, with what helps then.
  func atStart(_ path: String, _ backups: Backups) -> StorageError {
    switch code {
    case .full: .fullAtStart(path)
    // A key that does not fit has its own way out.
    case .damaged where !message.contains(KeyFile.name):
      StorageError(.damaged, message: message, hint: Self.damagedHint(backups))
    default: self
    }
  }
}
