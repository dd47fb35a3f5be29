import Glibc

/// The lock of the database in a state folder. The system releases it when the process ends.
///
/// Users of the database share the lock of the file `database.lock`; replacing the database needs it alone. The lock of
/// the folder itself belongs to the one controller, so a restore needs that one, too: it holds also when files are
/// removed from the folder.
final class StateLock: Sendable {
  /// The purpose of a lock.
  enum Use: Sendable {
    /// The database is used, by any number of processes.
    case sharing
    /// The database is replaced by a backup. No controller runs, and nobody uses the database.
    case restoring
    /// A restore that was interrupted is finished, by the controller or beside it. Nobody uses the database.
    case finishing
  }

  private let descriptors: [Int32]

  /// Acquires the lock without waiting.
  /// - Throws: `inUse` when another process holds it, `failed` when the folder cannot be opened.
  init(_ path: String, for use: Use) throws(StorageError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try DurableFile.check(folder, "open", path)
    if use == .restoring, flock(folder, LOCK_SH | LOCK_NB) != 0 {
      close(folder)
      throw .inUse(path)
    }
    let name = "database.lock"
    let file = openat(folder, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    do throws(StorageError) {
      try DurableFile.check(file, "open", "\(path)/\(name)")
    } catch {
      Self.release([folder])
      throw error
    }
    guard flock(file, (use == .sharing ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      Self.release([file, folder])
      throw use == .sharing ? .beingRestored(path) : .inUse(path)
    }
    descriptors = [file, folder]
  }

  deinit { Self.release(descriptors) }

  private static func release(_ descriptors: [Int32]) {
    for descriptor in descriptors {
      // A child process between its fork and its exec has a copy of the descriptor: closing alone would keep the
      // lock until then.
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
  }
}
