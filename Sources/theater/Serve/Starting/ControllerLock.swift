import Glibc

/// Held by the one controller of a runtime folder; the system lets go of it with the process.
struct ControllerLock: Sendable {
  private let file: Int32

  /// Takes the lock, and removes a socket that an earlier controller left: nobody answers there.
  init(_ folders: Folders) throws(Ending) {
    file = open(folders.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw Ending(
        .failed, "\(folders.lock) cannot be opened: \(String(cString: strerror(errno)))",
        hint: "Check who may write in \(folders.runtime).")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let holder = Self.text(of: file)
      close(file)
      throw Ending(
        .failed, "a controller runs here already\(holder.map { " (process \($0))" } ?? "")",
        hint: "Use that one, or end it first\(holder.map { ": kill \($0)" } ?? "").")
    }
    ftruncate(file, 0)
    let text = Array("\(getpid())\n".utf8)
    _ = pwrite(file, text, text.count, 0)
    if !SocketProbe.answers(at: folders.socket) { unlink(folders.socket) }
  }

  /// Lets go of it.
  func release() { close(file) }

  private static func text(of file: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(file, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).first.map(String.init)
  }
}
