import Foundation
import Glibc

/// An unfinished backup: a folder with a temporary name, renamed when it is complete and on the disk.
struct BackupDraft {
  private let folder: String
  private let path: String

  /// Makes a draft in `folder`, and removes drafts left by a crash.
  /// - Throws: `full`, `failed`.
  init(in folder: String) throws(StorageError) {
    self.folder = folder
    path = "\(folder)/.draft-\(UUID().uuidString)"
    try DurableFile.makeFolder(folder)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(".draft-") {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    try DurableFile.makeFolder(path)
  }

  /// Fills the draft; removes it on an error.
  func filled(_ fill: (Backup) throws(StorageError) -> Void) throws(StorageError) -> Self {
    do {
      try fill(Backup(at: path))
      return self
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
  }

  /// Renames it once everything in it is on the disk.
  func named(_ name: String) throws(StorageError) -> Backup {
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
