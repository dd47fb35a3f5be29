import Foundation
import Glibc

/// Files that survive a power cut completely or not at all, readable by their owner only (0600 in
/// 0700).
enum DurableFile {
  /// The kind of file at a path, without following a link.
  enum Kind: Hashable {
    case nothing, file, other
  }

  static func kind(_ path: String) -> Kind {
    var status = stat()
    guard lstat(path, &status) == 0 else { return .nothing }
    return status.st_mode & S_IFMT == S_IFREG ? .file : .other
  }

  /// Makes a folder and its parents.
  static func makeFolder(_ path: String) throws(StorageError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      if (error as? CocoaError)?.code == .fileWriteOutOfSpace { throw .full }
      throw .failed("the folder \(path) cannot be made")
    }
    try check(chmod(path, 0o700), "change the mode of", path)
  }

  /// Makes an empty file, or restricts the mode of an existing one.
  static func makeFile(_ path: String) throws(StorageError) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try check(file, "open", path)
    defer { close(file) }
    try check(fchmod(file, 0o600), "change the mode of", path)
  }

  /// Copies a file to a new path, completely or not at all.
  static func copy(_ source: String, to path: String) throws(StorageError) {
    do {
      try FileManager.default.copyItem(atPath: source, toPath: path)
    } catch {
      if (error as? CocoaError)?.code == .fileWriteOutOfSpace { throw .full }
      throw .failed("\(source) cannot be copied to \(path)")
    }
    try check(chmod(path, 0o600), "change the mode of", path)
    try sync(path)
  }

  /// Waits until a file or a folder's entries are on the disk.
  static func sync(_ path: String) throws(StorageError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    try check(file, "open", path)
    defer { close(file) }
    try check(fsync(file), "write", path)
  }

  /// Renames a file or folder and waits until the new name is on the disk.
  static func rename(_ path: String, to other: String) throws(StorageError) {
    try check(Glibc.rename(path, other), "rename", path)
    guard let slash = other.lastIndex(of: "/") else { return }
    try sync(String(other[..<slash]))
  }

  static func check(_ result: Int32, _ deed: String, _ path: String) throws(StorageError) {
    guard result < 0 else { return }
    let reason = errno
    if reason == ENOSPC || reason == EDQUOT { throw .full }
    throw .failed("cannot \(deed) \(path): \(String(cString: strerror(reason)))")
  }
}
