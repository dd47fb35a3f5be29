import Accounts
import Foundation
import GRDB
import Glibc

/// The backups of a state folder, in its folder `backups`.
package struct Backups: Sendable {
  /// The state folder.
  let state: String
  /// The folder of the backups.
  package var folder: String { "\(state)/backups" }

  /// Files beside the database that belong to it.
  static let companions = [KeyFile.name]
  /// The suffixes of the database and of SQLite's files beside it.
  private static let logEnds = ["", "-journal", "-wal", "-shm"]
  /// The number of kept backups of each kind: daily, before a change of the tables, and replaced.
  private static let kept: [String: Int] = ["daily": 7, "before": 3, "replaced": 2]

  /// - Parameter state: The path of the state folder.
  package init(of state: String) {
    self.state = state.count > 1 && state.hasSuffix("/") ? String(state.dropLast()) : state
  }

  /// All backups, the newest first.
  package var all: [Backup] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { Backup(at: "\(folder)/\($0)") }.filter { $0.madeAt != nil }
      .sorted { $0.name > $1.name }
  }

  /// The newest verified backup; nil when there is none.
  package var newestGood: Backup? {
    all.first { $0.reason != .replaced && (try? verify($0)) != nil }
  }

  /// Returns the backup with this name or at this path, without checking whether it exists.
  /// - Throws: `missing` for a text that cannot name a backup: empty, `.`, `..`, a hidden folder.
  package func find(_ name: String) throws(StorageError) -> Backup {
    let backup = Backup(at: name.contains("/") ? name : "\(folder)/\(name)")
    guard !name.isEmpty, !backup.name.isEmpty, !backup.name.hasPrefix(".") else {
      throw .noBackup(named: name)
    }
    return backup
  }

  /// Verifies a whole backup and its key.
  /// - Throws: `damaged`, `damagedKey`, `newerSchema`, `missing`, `failed`.
  @discardableResult
  package func verify(_ backup: Backup) throws(StorageError) -> BackupContents {
    try check(backup, withKey: true)
  }

  private func check(
    _ backup: Backup, withKey: Bool
  ) throws(StorageError) -> BackupContents {
    guard DurableFile.kind(backup.database) != .nothing else { throw .noBackup(backup.path) }
    // Opening a pipe could block forever, and a link could lead elsewhere.
    for name in Self.companions + Self.logEnds.map({ TheaterDatabase.fileName + $0 })
    where DurableFile.kind("\(backup.path)/\(name)") == .other {
      throw .damaged(backup.path, because: "its \(name) is no file")
    }
    do {
      var configuration = Configuration()
      configuration.readonly = true
      let queue = try DatabaseQueue(path: backup.database, configuration: configuration)
      return try queue.read { database in
        let contents = try DatabaseVerifier.contents(database, at: backup.path)
        if withKey { try KeyVerifier.check(database, in: backup.path) }
        return contents
      }
    } catch {
      throw StorageError(error, at: backup.path)
    }
  }

  /// Copies the state folder's database while it is in use, verifies the copy, then names it.
  /// - Throws: `missing` when there is no database, `inUse` while a backup is being restored,
  ///   `full`, `damaged`, `damagedKey`, `newerSchema`, `failed`; then there is no new backup.
  package func create(
    _ reason: Backup.Reason, at now: Date
  ) throws(StorageError) -> Backup {
    let path = "\(state)/\(TheaterDatabase.fileName)"
    guard access(path, F_OK) == 0 else { throw .noDatabase(path) }
    let lock = try StateLock(state, for: .sharing)
    defer { withExtendedLifetime(lock) {} }
    do {
      return try create(reason, of: DatabaseQueue(path: path), at: now)
    } catch {
      throw StorageError(error, at: path)
    }
  }

  /// Copies `source` from the state folder. Before a change of the tables the key is not tried, so that
  /// the controller can start without it.
  func create(
    _ reason: Backup.Reason, of source: any DatabaseReader, at now: Date
  ) throws(StorageError) -> Backup {
    let withKey = if case .before = reason { false } else { true }
    if withKey { try verifyKey(source) }
    let backup = try BackupDraft(in: folder).fill { draft throws(StorageError) in
      try copy(source, to: draft.database)
      for name in Self.companions where access("\(state)/\(name)", F_OK) == 0 {
        try DurableFile.copy("\(state)/\(name)", to: "\(draft.path)/\(name)")
      }
      _ = try check(draft, withKey: withKey)
    }.rename(to: Backup.name(reason, at: now))
    deleteOld(but: backup)
    return backup
  }

  private func copy(_ source: any DatabaseReader, to path: String) throws(StorageError) {
    try DurableFile.makeFile(path)
    do {
      let copy = try DatabaseQueue(path: path)
      try source.backup(to: copy)
      // One file, without a log beside it.
      try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try copy.close()
    } catch {
      throw StorageError(error, at: path)
    }
    try DurableFile.sync(path)
  }

  /// Deletes surplus backups. Requested backups and the newest one stay, even if the wall clock is wrong.
  private func deleteOld(but newest: Backup) {
    var seen: [String: Int] = [:]
    for backup in [newest] + all.filter({ $0 != newest }) {
      guard let kind = backup.reason?.word.split(separator: "-").first.map(String.init),
        let most = Self.kept[kind]
      else { continue }
      seen[kind, default: 0] += 1
      if seen[kind, default: 0] > most { try? FileManager.default.removeItem(atPath: backup.path) }
    }
  }
}
