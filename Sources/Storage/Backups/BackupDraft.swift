import Foundation
import Glibc

/// An unfinished backup: a folder with a temporary name, renamed when it is complete and on the disk.
struct BackupDraft {
  private let folder: String
  private let path: String

  /// The age in seconds of a draft that no process fills any more.
  private static let longestFilling: TimeInterval = 3600

  /// Makes a draft in `folder`, and removes drafts left by a crash. A young draft stays: another
  /// process may be filling it.
  /// - Throws: `full`, `failed`.
  init(in folder: String) throws(StorageError) {
    self.folder = folder
    path = "\(folder)/.draft-\(UUID().uuidString)"
    try DurableFile.makeFolder(folder)
    // First, because old drafts may have filled the disk.
    Self.removeOldDrafts(in: folder)
    try DurableFile.makeFolder(path)
  }

  private static func removeOldDrafts(in folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(".draft-") {
      let draft = "\(folder)/\(name)"
      let attributes = try? FileManager.default.attributesOfItem(atPath: draft)
      guard let changed = attributes?[.modificationDate] as? Date,
        Date().timeIntervalSince(changed) > longestFilling
      else { continue }
      try? FileManager.default.removeItem(atPath: draft)
    }
  }

  /// Fills the draft; removes it on an error.
  func fill(_ body: (Backup) throws(StorageError) -> Void) throws(StorageError) -> Self {
    do {
      try body(Backup(at: path))
      return self
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
  }

  /// Renames it once everything in it is on the disk.
  func rename(to name: String) throws(StorageError) -> Backup {
    try DurableFile.sync(path)
    var final = "\(folder)/\(name)"
    var number = 2
    while access(final, F_OK) == 0 {
      final = "\(folder)/\(name).\(number)"
      number += 1
    }
    try DurableFile.rename(path, to: final)
    return Backup(at: final)
  }
}
