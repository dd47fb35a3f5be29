import CLinux
import Glibc

/// Reads and replaces files by paths that people give.
package enum RegularFile {
  /// The reason why a file was not read.
  package enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
    case missing
    /// It is not a regular file; the text names its kind, such as "a folder" or "a socket or a device".
    case otherKind(String)
    /// It has more bytes than the limit.
    case tooLarge(limit: Int)
    /// The system's error message.
    case unreadable(String)

    package var description: String {
      switch self {
      case .missing: "there is no such file"
      case .otherKind(let kind): "it is \(kind), expected a regular file"
      case .tooLarge(let limit): "it is larger than \(limit / 1024) KiB"
      case .unreadable(let reason): "it cannot be read: \(reason)"
      }
    }
  }

  /// Returns the bytes of the file at `path`, links followed.
  ///
  /// A file that is not regular is refused without a wait: a pipe or a terminal could block for ever, and a device may
  /// have no end.
  ///
  /// - Parameter limit: The most bytes; a larger file throws `tooLarge`.
  package static func read(_ path: String, atMost limit: Int) throws(Failure) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else {
      let reason = errno
      // The kernel refuses to open a socket with ENXIO.
      if reason == ENXIO { throw .otherKind("a socket or a device") }
      throw reason == ENOENT || reason == ENOTDIR
        ? .missing : .unreadable("\(SystemError(reason))")
    }
    defer { close(file) }
    var facts = linux_file_facts()
    guard linux_open_facts(file, &facts) == 0 else {
      throw .unreadable("\(SystemError(errno))")
    }
    if let kind = otherKind(facts.mode) { throw .otherKind(kind) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable("\(SystemError(errno))") }
      guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// Replaces the bytes of the file at `path`, links followed. Its mode stays, and its owner where this
  /// user may set it.
  ///
  /// The bytes are written to a new file beside it, which is renamed: after a crash or power cut the
  /// file has either the old or the new bytes.
  ///
  /// - Throws: `EACCES` if this user may not write to the folder, `ENOSPC` if the disk is full.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    guard let resolved = realpath(path, nil) else { throw SystemError(errno) }
    defer { free(resolved) }
    let target = String(cString: resolved)
    let slash = target.lastIndex(of: "/") ?? target.startIndex
    let folder = slash == target.startIndex ? "/" : String(target[..<slash])
    var facts = stat()
    guard stat(target, &facts) == 0 else { throw SystemError(errno) }
    var draft = Array("\(folder)/.\(target[target.index(after: slash)...]).XXXXXX".utf8CString)
    let file = linux_temporary_file(&draft)
    guard file >= 0 else { throw SystemError(errno) }
    defer { close(file) }
    do throws(SystemError) {
      // Only the superuser may change the owner; for other users the call may fail.
      _ = fchown(file, facts.st_uid, facts.st_gid)
      guard fchmod(file, facts.st_mode & 0o7777) == 0 else { throw SystemError(errno) }
      try write(bytes, to: file)
      guard fsync(file) == 0, rename(draft, target) == 0 else { throw SystemError(errno) }
    } catch {
      unlink(draft)
      throw error
    }
    let entries = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard entries >= 0 else { throw SystemError(errno) }
    defer { close(entries) }
    guard fsync(entries) == 0 else { throw SystemError(errno) }
  }

  /// Writes all bytes to the open file `file`.
  ///
  /// - Throws: The error of the call that failed, `ENOSPC` if the disk is full.
  package static func write(_ bytes: [UInt8], to file: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns the kind of file at `path` if it is not a regular file, links followed; `nil` if it is
  /// one, if nothing is there, or if this user cannot see it.
  package static func otherKind(at path: String) -> String? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return otherKind(facts.st_mode)
  }

  /// Returns the permission bits of the file at `path`, links followed; `nil` if nothing is there, or if
  /// this user cannot see it.
  package static func permissions(at path: String) -> mode_t? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return facts.st_mode & 0o7777
  }

  private static func otherKind(_ mode: mode_t) -> String? {
    switch mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a folder"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }
}
