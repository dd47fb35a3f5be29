import Foundation
import Glibc

/// The file of a database and its folder, kept from the eyes of others: 0600 in 0700.
struct DatabaseFile {
  let path: String

  /// Makes the folder and an empty file where they are missing, and tightens both where they are
  /// not.
  ///
  /// SQLite gives its journals the mode of the file.
  /// - Throws: `full`, or `failed` with the reason of the system.
  init(named name: String, in folder: String) throws(StorageError) {
    path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw .failed("the folder \(folder) cannot be made")
    }
    try Self.check(chmod(folder, 0o700), "change the mode of", folder)
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try Self.check(descriptor, "open", path)
    defer { close(descriptor) }
    try Self.check(fchmod(descriptor, 0o600), "change the mode of", path)
  }

  private static func check(
    _ result: Int32, _ deed: String, _ path: String
  ) throws(StorageError) {
    guard result < 0 else { return }
    let reason = errno
    if reason == ENOSPC || reason == EDQUOT { throw .full }
    throw .failed("cannot \(deed) \(path): \(String(cString: strerror(reason)))")
  }
}
