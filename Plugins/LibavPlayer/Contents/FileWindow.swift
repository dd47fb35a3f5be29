import CLibav  // its headers bring the system's `stat` along
import Glibc

/// A file that is read by position, through one window of memory.
final class FileWindow {
  /// Bytes that are read at a time.
  private static let window = 16_384

  /// The size of the file in bytes.
  let size: Int64
  /// How many bytes were read from the disk so far.
  private(set) var bytesRead: Int64 = 0
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var start: Int64 = 0

  /// Opens the regular file at `path`; nil where there is none or it cannot be read.
  init?(_ path: String) {
    // O_NONBLOCK: opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  /// Returns the bytes from `position` on, at most `count`; fewer at the end of the file, none
  /// outside it.
  func bytes(at position: Int64, count: Int) -> ArraySlice<UInt8> {
    guard position >= 0, position < size, count > 0 else { return [] }
    let count = Int(min(Int64(count), size - position))
    if position < start || position + Int64(count) > start + Int64(buffer.count) {
      fill(from: position, atLeast: count)
    }
    let offset = Int(position - start)
    guard offset <= buffer.count else { return [] }
    return buffer[offset..<min(buffer.count, offset + count)]
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
