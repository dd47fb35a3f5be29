import CLibav  // its headers bring the system's `stat` along
import Glibc
import MediaNetwork

/// A file that is read by position, through one window of memory.
///
/// A damaged or hostile file could make a search read it again and again, so the bytes read from the
/// disk have a limit. Behind it, and once the interrupt is due, reads return nothing. Belongs to one
/// thread at a time.
final class FileWindow {
  /// Bytes read at a time.
  private static let window = 16_384

  /// The size of the file in bytes.
  let size: Int64
  /// Bytes read from the disk so far.
  private(set) var bytesRead: Int64 = 0
  /// Whether a read was refused: a search then has no result.
  private(set) var isExhausted = false
  private let limit: Int64
  private let interrupt: LibavInterrupt?
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var start: Int64 = 0

  /// Opens the regular file at `path`; nil where there is none or it cannot be read.
  ///
  /// - Parameter limit: The most bytes read from the disk, a window more or less.
  init?(_ path: String, limit: Int64 = .max, interrupt: LibavInterrupt? = nil) {
    // O_NONBLOCK: opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.limit = limit
    self.interrupt = interrupt
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  /// Returns the bytes from `position` on, at most `count`; fewer at the end of the file, none
  /// outside it, and none once ``isExhausted``.
  func bytes(at position: Int64, count: Int) -> ArraySlice<UInt8> {
    guard position >= 0, position < size, count > 0, mayRead() else { return [] }
    let count = Int(min(Int64(count), size - position))
    if position < start || position + Int64(count) > start + Int64(buffer.count) {
      fill(from: position, atLeast: count)
    }
    let offset = Int(position - start)
    guard offset <= buffer.count else { return [] }
    return buffer[offset..<min(buffer.count, offset + count)]
  }

  private func mayRead() -> Bool {
    if bytesRead >= limit || interrupt?.isDue == true { isExhausted = true }
    return !isExhausted
  }

  private func fill(from position: Int64, atLeast count: Int) {
    let wanted = max(Self.window, count)
    start = position
    buffer = [UInt8](unsafeUninitializedCapacity: wanted) { memory, taken in
      while taken < wanted {
        let count = pread(
          descriptor, memory.baseAddress.map { $0 + taken }, wanted - taken,
          off_t(position) + off_t(taken))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        taken += count
      }
    }
    bytesRead += Int64(buffer.count)
  }
}
