import CLinux
import Glibc
import NIOCore

/// A check that a controller's socket belongs to the requesting user. Root, too, may ask only its
/// own controller: the requests hold passwords and tokens that open an account.
package enum SocketOwner {
  /// Checks the folder and the socket in it, no link followed at either.
  ///
  /// - Parameters:
  ///   - path: The socket's path.
  ///   - user: The required owner of both.
  /// - Throws: `notRunning` if nothing is there, `untrusted` if something else is, or if others
  ///   could put their own socket in its place.
  package static func check(_ path: String, user: uid_t = geteuid()) throws(RemoteFailure) {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : path[..<$0] } ?? "."
    let above = try facts(of: String(folder), for: path)
    guard kind(above) == S_IFDIR else {
      throw .untrusted(
        reason: "\(folder) is \(kindName(above)), not a folder",
        hint: "Remove it, or \(otherFolder).")
    }
    guard above.owner == user else { throw foreign("the folder \(folder)", above.owner, user) }
    guard above.mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw .untrusted(
        reason: "others may write in \(folder), and could put a socket of their own there",
        hint: "Close it: chmod 700 \(folder)")
    }
    let socket = try facts(of: path, for: path)
    guard kind(socket) == S_IFSOCK else {
      throw .untrusted(
        reason: "\(path) is \(kindName(socket)), not a socket",
        hint: "Move it away, then start the controller again.")
    }
    guard socket.owner == user else { throw foreign(path, socket.owner, user) }
    guard socket.mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw .untrusted(
        reason: "others may connect to \(path): the controller makes it for its user alone",
        hint: "End what made it, remove it, then start the controller again.")
    }
  }

  /// Checks which user runs the process at the other end of a connection.
  ///
  /// - Throws: `RemoteFailure.untrusted` where it is another user's or the kernel does not say.
  static func checkPeer(
    of channel: any Channel, at path: String, user: uid_t = geteuid()
  ) async throws {
    guard let channel = channel as? any SocketOptionProvider else {
      throw RemoteFailure.broken("the kernel does not say who answers at \(path)")
    }
    let peer: PeerCredentials = try await channel.unsafeGetSocketOption(
      level: .init(rawValue: SOL_SOCKET), name: .init(rawValue: SO_PEERCRED)
    ).get()
    guard peer.user == user else {
      throw foreign("the process \(peer.process) that answers at \(path)", peer.user, user)
    }
  }

  /// `struct ucred` of unix(7), which Glibc shows with _GNU_SOURCE alone.
  private struct PeerCredentials: Sendable {
    var process: pid_t = 0
    var user: uid_t = 0
    var group: gid_t = 0
  }

  private static let otherFolder = "set XDG_RUNTIME_DIR to a folder of your own"

  private static func foreign(_ thing: String, _ owner: uid_t, _ user: uid_t) -> RemoteFailure {
    // Root can act as the other user.
    let hint =
      user == 0
      ? "To ask that user's controller, act as that user: sudo -u '#\(owner)' theater …"
      : "Check who made it, and \(otherFolder)."
    return .untrusted(
      reason: "\(thing) belongs to user \(owner), and you are user \(user)", hint: hint)
  }

  private static func facts(of file: String, for path: String) throws(RemoteFailure)
    -> linux_file_facts
  {
    var facts = linux_file_facts()
    if linux_link_facts(file, &facts) == 0 { return facts }
    if errno == ENOENT || errno == ENOTDIR { throw .notRunning(.socket(path)) }
    throw .untrusted(
      reason: "\(file) cannot be looked at: \(String(cString: strerror(errno)))",
      hint: "Check whose it is, and \(otherFolder).")
  }

  private static func kind(_ facts: linux_file_facts) -> mode_t { facts.mode & S_IFMT }

  private static func kindName(_ facts: linux_file_facts) -> String {
    switch kind(facts) {
    case S_IFLNK: "a link"
    case S_IFDIR: "a folder"
    case S_IFREG: "a file"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }
}
