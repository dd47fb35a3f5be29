import CLinux
import Glibc
import NIOCore

/// The checks that a controller's socket belongs to the requesting user, even if that user is root:
/// requests carry passwords and session tokens.
///
/// `check` runs before a connection is opened: the folder belongs to the user, no other user may
/// write in it, and neither folder nor socket is a link, so no other user can put a socket into it.
/// `checkPeer` runs on each open connection before its first request: the kernel recorded the listening
/// process when the connection was made, so nothing that happens to the path afterwards changes the answer.
package enum SocketOwnership {
  /// Checks the folder and the socket in it. Links are not followed.
  ///
  /// - Parameters:
  ///   - path: The socket's path.
  ///   - user: The required owner of both.
  /// - Throws: `notRunning` if there is no socket, `untrusted` if another user owns the socket or
  ///   could replace it.
  package static func check(
    _ path: String, user: uid_t = geteuid()
  ) throws(ControllerConnectionError) {
    let folderPath =
      path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let folder = try facts(of: folderPath, for: path)
    guard kind(folder) == S_IFDIR else {
      throw .untrusted(
        reason: "\(folderPath) is \(kindName(folder)), not a folder",
        hint: "Remove it, or \(otherFolder).")
    }
    guard folder.owner == user else {
      throw foreign("the folder \(folderPath)", folder.owner, user)
    }
    guard folder.mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw .untrusted(
        reason: "others may write in \(folderPath), and could put a socket of their own there",
        hint: "Close it: chmod 700 \(folderPath)")
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
        hint: "End the program that made it, remove it, then start the controller again.")
    }
  }

  /// Checks the user of the process at the other end of a Unix connection (SO_PEERCRED);
  /// connections over TCP pass. Completes at once on the channel's event loop.
  ///
  /// - Returns: A future that fails with `ControllerConnectionError` if another user runs that
  ///   process, or if the kernel does not say who does.
  static func checkPeer(of channel: any Channel, user: uid_t = geteuid()) -> EventLoopFuture<Void> {
    guard case .unixDomainSocket = channel.remoteAddress, let path = channel.remoteAddress?.pathname
    else { return channel.eventLoop.makeSucceededVoidFuture() }
    guard let channel = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(
        ControllerConnectionError.broken("the kernel does not say which user answers at \(path)"))
    }
    let peer: EventLoopFuture<PeerCredentials> = channel.unsafeGetSocketOption(
      level: .init(rawValue: SOL_SOCKET), name: .init(rawValue: SO_PEERCRED))
    return peer.flatMapThrowing { peer in
      guard peer.user == user else {
        throw foreign("the process \(peer.process) that answers at \(path)", peer.user, user)
      }
    }
  }

  /// `struct ucred` of unix(7); Glibc declares it only with _GNU_SOURCE.
  private struct PeerCredentials: Sendable {
    var process: pid_t = 0
    var user: uid_t = 0
    var group: gid_t = 0
  }

  private static let otherFolder = "set XDG_RUNTIME_DIR to a folder of your own"

  private static func foreign(
    _ thing: String, _ owner: uid_t, _ user: uid_t
  ) -> ControllerConnectionError {
    // Root can act as the other user.
    let hint =
      user == 0
      ? "To use that user's controller, act as that user: sudo -u '#\(owner)' theater …"
      : "Check who made it, and \(otherFolder). To use that user's controller: "
        + "theater --at https://localhost:8080 …"
    return .untrusted(
      reason: "\(thing) belongs to user \(owner), and you are user \(user)", hint: hint)
  }

  private static func facts(of file: String, for path: String) throws(ControllerConnectionError)
    -> linux_file_facts
  {
    var facts = linux_file_facts()
    if linux_link_facts(file, &facts) == 0 { return facts }
    if errno == ENOENT || errno == ENOTDIR { throw .notRunning(.socket(path)) }
    throw .untrusted(
      reason: "\(file) cannot be inspected: \(String(cString: strerror(errno)))",
      hint: "Check its owner, and \(otherFolder).")
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
