import GRDB
import Glibc
import Synchronization

/// Room on the disk for what must be written though the disk is full: that a session is over, that
/// somebody is out. A file beside the database, which is given up for one such write and taken again
/// at once, as far as there is room by then; other writes do not get at it.
///
/// How well it is kept is up to the file system: one that copies on write, or compresses, may promise
/// more than it has.
final class DiskReserve: Sendable {
  /// The name of the file in the database's folder.
  static let name = "theater.reserve"
  /// Bytes. Ending a session takes some 30 KB of it until the log is moved into the database,
  /// removing an account that has saved 5,000 places some 450 KB.
  static let size = 1 << 20
  /// Less than a page of the log.
  private static let smallestPiece = 4096

  private let file: Int32
  /// How much of it is there.
  private let kept = Mutex(0)

  /// Takes it, as far as there is room.
  /// - Throws: `full` or `failed` where there is not even a place for its name.
  init(in folder: String) throws(StorageError) {
    let path = "\(folder)/\(Self.name)"
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try DurableFile.check(file, "open", path)
    take()
  }

  deinit { close(file) }

  /// Does something; where the disk is full, once more with the reserve.
  ///
  /// - Parameter givingBack: Frees what was used of the reserve, before it is taken again: else each
  ///   such write would leave less of it for the next.
  func helping<Value>(
    _ body: () throws -> Value, givingBack: () -> Void = {}
  ) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError where error.isFullDisk {
      give()
      defer { take() }
      let value = try body()
      givingBack()
      return value
    }
  }

  /// Takes what is missing of it, as far as there is room.
  func take() {
    kept.withLock { kept in
      var piece = Self.size
      while kept < Self.size, piece >= Self.smallestPiece {
        if kept + piece <= Self.size, posix_fallocate(file, 0, off_t(kept + piece)) == 0 {
          kept += piece
        } else {
          piece /= 2
        }
      }
    }
  }

  private func give() {
    kept.withLock { kept in
      if ftruncate(file, 0) == 0 { kept = 0 }
    }
  }
}

extension DatabaseError {
  /// Whether there is no room for the database, its log, or the log's index.
  var isFullDisk: Bool {
    resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
  }
}
