import Glibc

/// The secret of this user's session, in a file that nobody else can read.
struct TokenFile: Sendable {
  let path: String

  init(_ path: String) { self.path = path }

  /// The secret; `nil` where nobody is logged in.
  func read() throws(Ending) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("read")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o077 == 0
    else {
      throw Ending(
        .failed, "\(path) can be read by others", hint: "Remove it and log in again: rm \(path)")
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(file, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let token = text.split(whereSeparator: \.isWhitespace).first.map(String.init)
    return token
  }

  /// Puts a secret there, whole or not at all.
  func write(_ token: String) throws(Ending) {
    try Folders.make(privately: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    let draft = "\(path).\(getpid())"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("write") }
    let bytes = Array((token + "\n").utf8)
    let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    close(file)
    guard isWritten, rename(draft, path) == 0 else {
      let problem = failure("write")
      unlink(draft)
      throw problem
    }
  }

  /// Takes the secret away.
  func remove() { unlink(path) }

  private func failure(_ deed: String) -> Ending {
    Ending(
      .failed, "cannot \(deed) \(path): \(String(cString: strerror(errno)))",
      hint: "Check that the folder belongs to you and that its disk has room.")
  }
}
