import Glibc

/// An address and a port of a host.
struct SocketAddress: Sendable {
  /// `AF_INET` or `AF_INET6`.
  let family: Int32
  /// The bytes of the `sockaddr`.
  private let bytes: [UInt8]

  /// Resolves the name of a host, and blocks until that is done.
  ///
  /// - Returns: The addresses of the host, best first.
  static func resolve(
    _ host: String, _ port: UInt16
  ) throws(ProjectorSocket.Refusal) -> [SocketAddress] {
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    wanted.ai_flags = AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &wanted, &found)
    guard code == 0 else {
      throw ProjectorSocket.Refusal(reason: String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(found) }
    var addresses: [SocketAddress] = []
    var next = found
    while let entry = next?.pointee {
      let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
      addresses.append(SocketAddress(family: entry.ai_family, bytes: Array(bytes)))
      next = entry.ai_next
    }
    return addresses
  }

  /// Begins to connect a socket. Returns 0 if it is connected, `EINPROGRESS` if a non-blocking socket connects, and
  /// another number of the system if that fails.
  func connect(_ socket: Int32) -> Int32 {
    bytes.withUnsafeBytes { bytes -> Int32 in
      let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      return Glibc.connect(socket, address, socklen_t(bytes.count)) == 0 ? 0 : errno
    }
  }
}
