import CLinux
import Glibc

/// Type, owner and permissions of a file.
struct FileFacts {
  // Through C: Swift finds two declarations of `stat`, and which one it takes differs between builds.
  private var facts = linux_file_facts()

  /// Reads the facts of a path, links not followed; `nil` if there is no file.
  init?(at path: String) {
    guard linux_link_facts(path, &facts) == 0 else { return nil }
  }

  /// Reads the facts of an open file, which cannot be replaced between check and use.
  init?(open file: Int32) {
    guard linux_open_facts(file, &facts) == 0 else { return nil }
  }

  var isFolder: Bool { facts.mode & S_IFMT == S_IFDIR }
  var isFile: Bool { facts.mode & S_IFMT == S_IFREG }
  var isSocket: Bool { facts.mode & S_IFMT == S_IFSOCK }
  var owner: uid_t { facts.owner }
  /// Whether users beside the owner may write.
  var isWritableByOthers: Bool { facts.mode & (S_IWGRP | S_IWOTH) != 0 }
  /// Whether only the owner has permissions.
  var isPrivate: Bool { facts.mode & (S_IRWXG | S_IRWXO) == 0 }
}

/// A check whether a process listens at a Unix socket.
enum SocketProbe {
  static func isListening(at path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { return false }
    defer { close(file) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
