import Glibc

/// A socket that answers nothing but knows whether anyone has connected; or one that holds a port and refuses every
/// connection.
public final class ConnectionTrap: Sendable {
  public let port: Int
  private let descriptor: Int32

  /// - Parameters:
  ///   - host: The last byte of the address: 3 for 127.0.0.3.
  ///   - refuses: Whether connections are refused. The port is held all the same.
  public init(host: UInt8 = 3, refuses: Bool = false) throws {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(AF_INET, Int32(kind), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && (refuses || listen(descriptor, 16) == 0)
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isBound else { throw SocketFailure(code: errno) }
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
