import Glibc

/// A listening socket at 127.0.0.3, which answers nothing but knows whether anyone has connected.
public final class ConnectionTrap: Sendable {
  public let port: Int
  private let descriptor: Int32

  public init() throws {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(AF_INET, Int32(kind), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0003).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isListening else { throw SocketFailure(code: errno) }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  /// Counts the connections since the last call.
  public func takeConnections() -> Int {
    var count = 0
    while case let client = accept(descriptor, nil, nil), client >= 0 {
      close(client)
      count += 1
    }
    return count
  }

  private struct SocketFailure: Error {
    let code: Int32
  }
}
