import GRDB
import Glibc
import Synchronization

/// Disk space reserved for writes that must succeed on a full disk: ending sessions and removing access. A
/// file beside the database that is released for one such write and allocated again at once, as far as
/// there is space; other writes cannot use it.
///
/// A file system that copies on write or compresses may not guarantee the space.
final class DiskReserve: Sendable {
  /// The name of the file in the database's folder.
  static let name = "theater.reserve"
  /// The size of the reserve in bytes. Ending a session takes some 30 KB of it until the log is
  /// moved into the database, removing an account with 5,000 saved positions some 450 KB.
  static let size = 1 << 20
  /// The smallest allocation in bytes; a page of the log needs more.
  private static let smallestPiece = 4096

  private let file: Int32
  /// The allocated bytes.
  private let allocated = Mutex(0)

  /// Allocates the reserve, as far as there is space.
  /// - Throws: `full` or `failed` when the file cannot even be created.
  init(in folder: String) throws(StorageError) {
    let path = "\(folder)/\(Self.name)"
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try DurableFile.check(file, "open", path)
    allocate()
  }

  deinit { close(file) }

  /// Performs an action. If the disk is full, releases the reserve and performs the action again.
  ///
  /// - Parameter cleanUp: Frees the used space before the reserve is allocated again, so that it does
  ///   not shrink with each such write.
  func withReserve<Value>(
    _ body: () throws -> Value, cleanUp: () -> Void = {}
  ) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError where error.isFullDisk {
      release()
      defer { allocate() }
      let value = try body()
      cleanUp()
      return value
    }
  }

  /// Allocates the missing part, as far as there is space.
  func allocate() {
    allocated.withLock { allocated in
      var piece = Self.size
      while allocated < Self.size, piece >= Self.smallestPiece {
        if allocated + piece <= Self.size,
          posix_fallocate(file, 0, off_t(allocated + piece)) == 0
        {
          allocated += piece
        } else {
          piece /= 2
        }
      }
    }
  }

  private func release() {
    allocated.withLock { allocated in
      if ftruncate(file, 0) == 0 { allocated = 0 }
    }
  }
}

extension DatabaseError {
  /// Whether there is no space for the database, its log, or the log's index.
  var isFullDisk: Bool {
    resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
  }
}
