import Glibc
import Platform

/// A server on a free port of this machine that answers each connection with the same bytes once something has arrived,
/// and closes it.
public final class ClosingServer: Sendable {
  /// The system refused a call of the test.
  struct Failure: Error {
    let code = errno
  }

  public let port: Int
  private let listener: CInt

  public init(answer: [UInt8]) throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw Failure() }
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard isOpen else { throw Failure() }
    port = Int(UInt16(bigEndian: address.sin_port))
    SystemThread.start(name: "closing-server") {
      var bytes = [UInt8](repeating: 0, count: 4096)
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        if recv(client, &bytes, bytes.count, 0) > 0 {
          send(client, answer, answer.count, CInt(MSG_NOSIGNAL))
        }
        close(client)
      }
    }
  }

  deinit {
    // Ends the thread's `accept`.
    shutdown(listener, CInt(SHUT_RDWR))
    close(listener)
  }
}
