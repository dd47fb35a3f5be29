import Glibc

/// The lock of a state folder: shared by users of the database, exclusive for replacing it. The system
/// releases it when the process ends.
final class StateLock: Sendable {
  private let folder: Int32

  /// Acquires the lock without waiting.
  /// - Throws: `inUse` when another process holds it, `failed` when the folder cannot be opened.
  init(_ path: String, exclusive: Bool) throws(StorageError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try DurableFile.check(folder, "open", path)
    guard flock(folder, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
      close(folder)
      throw exclusive ? .inUse(path) : .beingRestored(path)
    }
    self.folder = folder
  }

  deinit {
    // A child process between its fork and its exec has a copy of the descriptor: closing alone would keep the lock
    // until then.
    flock(folder, LOCK_UN)
    close(folder)
  }
}
