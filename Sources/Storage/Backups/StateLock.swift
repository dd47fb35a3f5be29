import Glibc

/// That somebody uses the files of a state folder: shared by those who read and write the database,
/// exclusive for who puts another in its place. The system lets go of it with the process.
final class StateLock: Sendable {
  private let folder: Int32

  /// Takes it without waiting.
  /// - Throws: `inUse` where it cannot be had, `failed` where the folder cannot be opened.
  init(_ path: String, exclusive: Bool) throws(StorageError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try DurableFile.check(folder, "open", path)
    guard flock(folder, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
      close(folder)
      throw exclusive ? .inUse(path) : .beingRestored(path)
    }
    self.folder = folder
  }

  deinit { close(folder) }
}
