import Foundation
import GRDB
import Glibc

extension Backups {
  /// Puts a backup in the place of the state folder's database, which is kept aside with all that
  /// belongs to it.
  ///
  /// Nothing is touched before the backup was found whole and its copy is on the disk; from then on
  /// every moment at which the power could go leaves one or the other. What lets somebody in and may
  /// have been ended, used or taken back since is void in the copy.
  /// - Returns: where the replaced database is now; nil where there was none.
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

  /// Of a database, what let somebody in when the backup was made.
  private static let entrances = ["session", "oneTimeCode", "device", "invitation", "guestPass"]

  private func voidEntrances(of path: String) throws(StorageError) {
    do {
      let queue = try DatabaseQueue(path: path)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try queue.write { database in
        for table in Self.entrances {
          // An older database has not all of them.
          guard try database.tableExists(table) else { continue }
          try database.execute(sql: "DELETE FROM \(table)")
        }
      }
      try queue.close()
    } catch {
      throw StorageError(error, at: path)
    }
    try DurableFile.sync(path)
  }

  /// Copies what is there now, in whatever state it is.
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
