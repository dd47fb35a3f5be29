import Glibc
import TestSupport

/// A client on a real socket that sends requests and reads nothing, until it is told to.
final class SilentClient: Sendable {
  /// The system refused a call of the test.
  struct Failure: Error {
    let code = errno
  }

  private let descriptor: CInt

  /// Connects to a port of this machine and sends `request`.
  init(port: Int, _ request: String) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure() }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
    }
    guard isConnected else { throw Failure() }
    let bytes = Array(request.utf8)
    guard send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count else {
      throw Failure()
    }
  }

  deinit { close(descriptor) }

  /// Whether the server has dropped the connection.
  var isDropped: Bool {
    // A mask of 0 polls for POLLHUP and POLLERR alone, which a half-closed connection does not set.
    var polled = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&polled, 1, 0) > 0
  }
}

extension TestServer {
  /// A GET of a path on the port, with a session.
  func request(_ path: String, token: String? = nil) -> String {
    "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
      + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "\r\n"
  }
}
