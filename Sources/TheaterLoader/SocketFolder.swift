import Foundation
import Glibc
import Platform

/// The folder for the sockets of the plugins of one theater, which only its user may enter.
package struct SocketFolder: Sendable {
  private static let prefix = "theater-library-"

  /// Short, because the path of a socket has at most 107 bytes.
  let path: String
  private let base: String

  /// Chooses a new name in `$XDG_RUNTIME_DIR`, else in `/tmp`.
  init(environment: [String: String]) {
    base = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    path = "\(base)/\(Self.prefix)\(getpid())-\(number)"
  }

  /// Makes the folder, and removes those of processes that have ended without doing so.
  ///
  /// - Throws: The system's error.
  func make() throws {
    removeLeftovers()
    guard mkdir(path, 0o700) == 0 else { throw SystemError(errno) }
  }

  /// Removes the folder with what is in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  private func removeLeftovers() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
    for name in names where name.hasPrefix(Self.prefix) {
      let number = name.dropFirst(Self.prefix.count).prefix { $0 != "-" }
      guard let process = pid_t(number), process > 0, kill(process, 0) != 0, errno == ESRCH
      else { continue }
      // Another user's folder cannot be removed, and stays.
      try? FileManager.default.removeItem(atPath: "\(base)/\(name)")
    }
  }
}
