import Foundation
import Glibc
import Platform

/// A file with one secret that only this user can read.
struct TokenFile: Sendable {
  let path: String

  init(_ path: String) { self.path = path }

  /// The largest size of a secret with white space around it, in bytes.
  private static let longest = 256

  /// Reads the secret; `nil` without a file.
  func read() throws(ExitError) -> String? {
    // O_NONBLOCK: opening a named pipe would block.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      if errno == ELOOP { throw invalidFile("is a link") }
      throw ExitError(
        .failed, "cannot read \(path): \(String(cString: strerror(errno)))",
        hint: "Check that it belongs to you: ls -l \(path)")
    }
    defer { close(file) }
    guard let facts = FileFacts(open: file), facts.isFile else { throw invalidFile("is no file") }
    guard facts.isPrivate else { throw invalidFile("can be read by others") }
    var bytes = [UInt8](repeating: 0, count: Self.longest + 1)
    let count = Glibc.read(file, &bytes, bytes.count)
    guard count >= 0 else { throw failure("read") }
    return try token(in: bytes.prefix(count))
  }

  /// The only word of the file. Throws if it cannot be a token: other content must not be sent.
  private func token(in bytes: ArraySlice<UInt8>) throws(ExitError) -> String? {
    let words = bytes.split { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let word = words.first else { return nil }
    guard words.count == 1, bytes.count <= Self.longest, word.allSatisfy(Self.isSymbol) else {
      throw invalidFile("holds no token")
    }
    return String(decoding: word, as: UTF8.self)
  }

  /// base64url (RFC 4648, section 5).
  private static func isSymbol(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private func invalidFile(_ what: String) -> ExitError {
    ExitError(
      .notLoggedIn, "\(path) \(what)",
      hint: "Remove it and log in again: rm -r \(path); \(ProgramName.name) login")
  }

  /// Writes a secret, completely or not at all.
  func write(_ token: String) throws(ExitError) {
    try ApplicationPaths.make(
      privately: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    let draft = "\(path).\(getpid())"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("write") }
    defer { close(file) }
    do throws(SystemError) {
      try RegularFile.write(Array((token + "\n").utf8), to: file)
      guard fsync(file) == 0, rename(draft, path) == 0 else { throw SystemError(errno) }
    } catch {
      unlink(draft)
      throw failure("write", error)
    }
  }

  /// Removes the file.
  func remove() { unlink(path) }

  private func failure(_ action: String, _ error: SystemError = SystemError(errno)) -> ExitError {
    ExitError(
      .failed, "cannot \(action) \(path): \(error)",
      hint: "Check that the folder belongs to you and that its disk has room.")
  }
}
