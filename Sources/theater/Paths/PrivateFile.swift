import Glibc
import Platform

/// A small file that only this user can read and write.
enum PrivateFile {
  /// The reason why a file was not read.
  enum Failure: Error, Sendable, Hashable {
    /// What is wrong with it: "is a link".
    case unusable(String)
    case unreadable(SystemError)
  }

  /// Reads a file, a link not followed; `nil` without a file.
  ///
  /// - Parameter limit: The most bytes that are read; one more tells that the file is larger.
  static func read(_ path: String, atMost limit: Int) throws(Failure) -> [UInt8]? {
    // O_NONBLOCK: opening a named pipe would block.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      let cause = errno
      if cause == ENOENT || cause == ENOTDIR { return nil }
      throw cause == ELOOP ? .unusable("is a link") : .unreadable(SystemError(cause))
    }
    defer { close(file) }
    guard let facts = FileFacts(open: file), facts.isFile else { throw .unusable("is no file") }
    guard facts.isPrivate else { throw .unusable("can be read by others") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(limit + 1, 16 * 1024))
    while bytes.count <= limit {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(SystemError(errno)) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return Array(bytes.prefix(limit + 1))
  }

  /// Writes a file with mode 0600, completely or not at all. Its folder must exist.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let draft = "\(path).\(getpid())"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError(errno) }
    defer { close(file) }
    do throws(SystemError) {
      try RegularFile.write(bytes, to: file)
      guard fsync(file) == 0, rename(draft, path) == 0 else { throw SystemError(errno) }
    } catch {
      unlink(draft)
      throw error
    }
  }
}
