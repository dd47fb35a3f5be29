import Foundation
import GRDB
import Glibc

extension Backups {
  /// Replaces the state folder's database by a backup, and keeps the replaced one as a backup too.
  ///
  /// The new files are completed in a separate folder, which is then renamed. A power cut before
  /// the renaming leaves the old database; after a later one, the next opening finishes the
  /// restore. Sessions, codes, known devices, invitations, access tokens and guest passes are deleted from the
  /// copy, because they may have been ended or used since the backup.
  /// - Returns: The backup with the replaced database; nil when there was none.
  /// - Throws: `inUse` while a controller runs; `damaged`, `damagedKey`, `newerSchema` or `missing`
  ///   for a bad backup; `full`, `failed`.
  @discardableResult
  package func restore(_ backup: Backup, at now: Date) throws(StorageError) -> Backup? {
    try DurableFile.makeFolder(state)
    let lock = try StateLock(state, for: .restoring)
    defer { withExtendedLifetime(lock) {} }
    try installPrepared()
    try verify(backup)
    let draft = prepared + ".draft"
    try? FileManager.default.removeItem(atPath: draft)
    try DurableFile.makeFolder(draft)
    let files = [TheaterDatabase.fileName] + Self.companions
    // A database that was set aside after a crash has its last commits in the log beside it.
    for name in files + ["\(TheaterDatabase.fileName)-wal"]
    where access("\(backup.path)/\(name)", F_OK) == 0 {
      try DurableFile.copy("\(backup.path)/\(name)", to: "\(draft)/\(name)")
    }
    let database = "\(draft)/\(TheaterDatabase.fileName)"
    try deleteAccess(of: database)
    for end in ["-wal", "-shm"] { unlink(database + end) }
    try DurableFile.sync(draft)
    let replaced = try copyCurrent(files, at: now)
    try DurableFile.rename(draft, to: prepared)
    try installPrepared()
    return replaced
  }

  /// Finishes a restore that a power cut interrupted; without one it does nothing.
  /// - Throws: `inUse` while another process finishes it; `failed`.
  func finishInterruptedRestore() throws(StorageError) {
    guard access(prepared, F_OK) == 0 else { return }
    let lock = try StateLock(state, for: .finishing)
    defer { withExtendedLifetime(lock) {} }
    try installPrepared()
  }

  /// The folder with the complete files of a restore, until they are in their place.
  private var prepared: String { "\(state)/.restoring" }

  /// Moves the files of a prepared restore, if there is one, to their place.
  private func installPrepared() throws(StorageError) {
    guard access(prepared, F_OK) == 0 else { return }
    if access("\(prepared)/\(TheaterDatabase.fileName)", F_OK) == 0 {
      // SQLite would apply the old write-ahead log to the restored database.
      for end in ["-wal", "-shm"] { unlink("\(state)/\(TheaterDatabase.fileName)\(end)") }
      try DurableFile.sync(state)
    }
    // The database last: while it is in the prepared folder, another attempt deletes the old log.
    for name in Self.companions + [TheaterDatabase.fileName]
    where access("\(prepared)/\(name)", F_OK) == 0 {
      try DurableFile.rename("\(prepared)/\(name)", to: "\(state)/\(name)")
    }
    try DurableFile.check(rmdir(prepared), "remove", prepared)
  }

  /// The tables with sessions, codes, known devices, invitations and access tokens; guest passes are deleted
  /// separately.
  private static let accessTables = [
    "session", "oneTimeCode", "device", "invitation", "accessToken",
  ]

  /// Moves the log of a database into its file, and deletes its sessions, codes, known devices,
  /// invitations, access tokens and guest passes.
  private func deleteAccess(of path: String) throws(StorageError) {
    do {
      let queue = try DatabaseQueue(path: path)
      // SQLite answers with the present mode when it cannot change it.
      let mode = try queue.writeWithoutTransaction {
        try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE")
      }
      guard mode == "delete" else {
        throw StorageError.failed("the log of the backup cannot be moved into its database")
      }
      try queue.writeWithoutTransaction(DeletedUsers.makeTable)
      try queue.write { database in
        for table in Self.accessTables {
          // An older database does not have all of them.
          guard try database.tableExists(table) else { continue }
          try database.execute(sql: "DELETE FROM \(table)")
        }
        if try database.tableExists("guestPass") {
          try AccountDatabase.deleteGuestPasses(where: "TRUE", [], in: database)
        }
      }
      try queue.close()
    } catch {
      throw StorageError(error, at: path)
    }
    try DurableFile.sync(path)
  }

  /// Copies the current database without verifying it.
  private func copyCurrent(_ files: [String], at now: Date) throws(StorageError) -> Backup? {
    let present = (files + ["-wal", "-shm"].map { TheaterDatabase.fileName + $0 })
      .filter { access("\(state)/\($0)", F_OK) == 0 }
    guard !present.isEmpty else { return nil }
    return try BackupDraft(in: folder).fill { draft throws(StorageError) in
      for name in present {
        try DurableFile.copy("\(state)/\(name)", to: "\(draft.path)/\(name)")
      }
    }.rename(to: Backup.name(.replaced, at: now))
  }
}
