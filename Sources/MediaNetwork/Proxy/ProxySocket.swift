import Glibc
import Platform

/// Sockets of the proxy.
enum ProxySocket {
  /// Returns a listening socket on a free port of 127.0.0.1.
  static func listen() throws(SystemError) -> (descriptor: Int32, port: UInt16) {
    let descriptor = try make(AF_INET)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 16) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isListening else {
      let error = SystemError(errno)
      close(descriptor)
      throw error
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Connects within `milliseconds`; gives up early if the client at `client` hangs up.
  static func connect(
    to address: NetworkAddress, port: Int, within milliseconds: Int32, client: Int32
  ) throws(SystemError) -> Int32 {
    let descriptor = try make(address.bytes.count == 4 ? AF_INET : AF_INET6)
    do throws(SystemError) {
      setBlocking(descriptor, false)
      try begin(descriptor, address, UInt16(clamping: port))
      var polls = (
        pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: client, events: Int16(POLLIN), revents: 0)
      )
      let count = withUnsafeMutableBytes(of: &polls) { bytes in
        poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 2, milliseconds)
      }
      guard count > 0, polls.0.revents != 0 else {
        throw count == 0 ? .timedOut : .cancelled
      }
      var code: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
      guard code == 0 else { throw SystemError(code) }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Makes a connection break off, instead of ending, when its descriptor is closed.
  static func resetAtClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  static func setBlocking(_ descriptor: Int32, _ isBlocking: Bool) {
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
  }

  private static func make(_ family: Int32) throws(SystemError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { throw SystemError(errno) }
    return descriptor
  }

  private static func begin(
    _ descriptor: Int32, _ address: NetworkAddress, _ port: UInt16
  ) throws(SystemError) {
    let code: Int32
    if address.bytes.count == 4 {
      var four = sockaddr_in()
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: address.bytes) }
      code = begin(descriptor, &four)
    } else {
      var six = sockaddr_in6()
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: address.bytes) }
      code = begin(descriptor, &six)
    }
    guard code == 0 || errno == EINPROGRESS else { throw SystemError(errno) }
  }

  private static func begin<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    let size = socklen_t(MemoryLayout<Address>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, size)
      }
    }
  }
}

extension SystemError {
  static let timedOut = SystemError(ETIMEDOUT)
  /// The client has hung up.
  static let cancelled = SystemError(ECANCELED)
}
