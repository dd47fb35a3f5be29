import Foundation
import GRDB
import Glibc

extension Backups {
  /// Replaces the state folder's database by a backup; the replaced one is kept as a backup too.
  ///
  /// Nothing is changed before the backup is verified and its copy is on the disk; from then on a power
  /// cut leaves either the old or the new database. Sessions, codes and invitations are void in the copy,
  /// as they may have been ended or used since.
  /// - Returns: The path of the replaced database; nil when there was none.
  /// - Throws: `inUse` while a controller runs; `damaged`, `newerSchema` or `noBackup` for a bad
  ///   backup; `full`, `failed`.
  @discardableResult
  package func restore(_ backup: Backup, at now: Date) throws(StorageError) -> Backup? {
    try DurableFile.makeFolder(state)
    let lock = try StateLock(state, exclusive: true)
    defer { withExtendedLifetime(lock) {} }
    try verify(backup)
    let files = [TheaterDatabase.fileName] + Self.companions
    let copies = files.filter { access("\(backup.path)/\($0)", F_OK) == 0 }
    for name in copies {
      unlink(draft(name))
      try DurableFile.copy("\(backup.path)/\(name)", to: draft(name))
    }
    try voidEntrances(of: draft(TheaterDatabase.fileName))
    let replaced = try setAside(files, at: now)
    // A log would be applied to a database that it does not belong to.
    for end in ["-wal", "-shm"] { unlink("\(state)/\(TheaterDatabase.fileName)\(end)") }
    try DurableFile.sync(state)
    // The database last: until then the old one is complete.
    for name in copies.reversed() {
      try DurableFile.rename(draft(name), to: "\(state)/\(name)")
    }
    return replaced
  }

  private func draft(_ name: String) -> String { "\(state)/.\(name).restoring" }

  /// The tables with sessions, codes and invitations; guest passes apart.
  private static let entrances = ["session", "oneTimeCode", "device", "invitation"]

  private func voidEntrances(of path: String) throws(StorageError) {
    do {
      let queue = try DatabaseQueue(path: path)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try queue.write { database in
        for table in Self.entrances {
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
  private func setAside(_ files: [String], at now: Date) throws(StorageError) -> Backup? {
    let present = (files + ["-wal", "-shm"].map { TheaterDatabase.fileName + $0 })
      .filter { access("\(state)/\($0)", F_OK) == 0 }
    guard !present.isEmpty else { return nil }
    return try BackupDraft(in: folder).filled { aside throws(StorageError) in
      for name in present {
        try DurableFile.copy("\(state)/\(name)", to: "\(aside.path)/\(name)")
      }
    }.named(Backup.name(.replaced, at: now))
  }
}
