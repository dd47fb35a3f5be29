import Accounts
import Foundation
import Glibc

/// The file `theater.key` beside the database: 32 random bytes, mode 0600, that encrypt its secrets
/// (`SealingKey`).
///
/// A backup of the database is complete only with it. Store the two apart if others may read a copy.
enum KeyFile {
  /// The name of the file in the database's folder.
  static let name = "theater.key"

  /// Reads the key of `folder`, or makes it.
  /// - Throws: `damagedKey` for anything but a file of 32 bytes; `full`, `failed`.
  static func loadOrCreate(in folder: String) throws(StorageError) -> SealingKey {
    let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    if let key = try load(at: path, tightening: true) { return key }
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<SealingKey.length).map { _ in
      UInt8.random(in: .min ... .max, using: &generator)
    }
    guard let key = SealingKey(bytes: bytes) else { throw .damagedKey(path) }
    try write(bytes, to: path, in: folder)
    return key
  }

  /// Reads the key at `path`; nil when there is no file.
  /// - Parameter tightening: Whether to set the mode to 0600 if other users have access.
  /// - Throws: `damagedKey` for anything but a file of 32 bytes; `failed`.
  static func load(
    at path: String, tightening: Bool = false
  ) throws(StorageError) -> SealingKey? {
    guard let bytes = try read(path, tightening: tightening) else { return nil }
    guard let key = SealingKey(bytes: bytes) else { throw .damagedKey(path) }
    return key
  }

  private static func read(_ path: String, tightening: Bool) throws(StorageError) -> [UInt8]? {
    // Opening a pipe could block forever.
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0, errno == ENOENT { return nil }
    try DurableFile.check(file, "open", path)
    defer { close(file) }
    var status = stat()
    try DurableFile.check(fstat(file, &status), "look at", path)
    guard status.st_mode & S_IFMT == S_IFREG else { throw .damagedKey(path) }
    // Only where others have access: `fchmod` fails on a file system that is read-only.
    if tightening, status.st_mode & 0o077 != 0 {
      try DurableFile.check(fchmod(file, 0o600), "change the mode of", path)
    }
    var bytes = [UInt8](repeating: 0, count: SealingKey.length + 1)
    let count = Glibc.read(file, &bytes, bytes.count)
    try DurableFile.check(Int32(count), "read", path)
    return Array(bytes.prefix(count))
  }

  /// Writes a temporary file to the disk, then renames it.
  private static func write(
    _ bytes: [UInt8], to path: String, in folder: String
  ) throws(StorageError) {
    let draft = path + ".new"
    unlink(draft)
    do throws(StorageError) {
      try fill(draft, with: bytes)
      try DurableFile.check(rename(draft, path), "make", path)
    } catch {
      unlink(draft)
      throw error
    }
    let directory = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }

  private static func fill(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    try DurableFile.check(file, "make", path)
    defer { close(file) }
    let count = Glibc.write(file, bytes, bytes.count)
    try DurableFile.check(Int32(count), "write", path)
    // Only a full disk takes a part of so few bytes, and sets no error number.
    guard count == bytes.count else { throw .full }
    try DurableFile.check(fsync(file), "write", path)
  }
}

extension StorageError {
  static func damagedKey(_ path: String) -> StorageError {
    StorageError(
      .damagedKey, message: "\(path) is not the key of this database, or it is damaged.",
      hint: "Put a backup in its place. Without one, move it away: second factors are then lost, "
        + "and their owners log in with recovery codes.")
  }

  static func missingKey(_ path: String) -> StorageError {
    StorageError(
      .damagedKey,
      message:
        "\(path) is missing. It is the key that decrypts the second factors in the database beside it.",
      hint: "Put the key of that database there, or take another backup: `theater backup list`.")
  }

  static func wrongKey(_ path: String) -> StorageError {
    StorageError(
      .damagedKey, message: "\(path) does not open the second factors in the database beside it.",
      hint: "Put the key of that database in its place. Without it, those with a second factor log "
        + "in with recovery codes and remove it.")
  }
}
