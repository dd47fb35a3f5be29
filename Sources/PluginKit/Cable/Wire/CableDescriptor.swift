import Glibc
import Platform

/// Unix stream sockets, event descriptors and their errors, for both ends of a cable. Every
/// descriptor is close-on-exec and never raises SIGPIPE.
enum CableDescriptor {
  /// Makes a listening socket at `path`, readable and writable by its owner alone. A left-over
  /// socket at the path is replaced; anything else there is left alone and an error.
  static func listen(at path: String) throws(CableError) -> Int32 {
    var address = try self.address(path)
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw CableError(.path, "\(path) exists and is not a socket; choose another path.")
      }
      unlink(path)
    }
    let descriptor = try make()
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        // fchmod before bind sets the mode the path is made with: it is never wider, even briefly.
        fchmod(descriptor, 0o600) == 0
          && bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
          && chmod(path, 0o600) == 0 && Glibc.listen(descriptor, 4) == 0
      }
    }
    guard bound else {
      let code = errno
      close(descriptor)
      throw CableError(
        .path, "The cable's socket \(path) could not be made: \(SystemError(code)).")
    }
    return descriptor
  }

  /// Connects to the sink that listens at `path`.
  static func connect(to path: String) throws(CableError) -> Int32 {
    var address = try self.address(path)
    let descriptor = try make()
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let code = errno
      close(descriptor)
      throw CableError(
        .system, "No sink answers at \(path): \(SystemError(code)). Is the amplifier running?")
    }
    return descriptor
  }

  /// The inode of the file at `path`; `nil` if there is none.
  static func inode(at path: String) -> UInt64? {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Accepts a waiting connection; `nil` when there is none.
  static func accept(_ listener: Int32) -> Int32? {
    let descriptor = Glibc.accept(listener, nil, nil)
    guard descriptor >= 0 else { return nil }
    prepare(descriptor)
    return descriptor
  }

  /// Makes a descriptor non-blocking and close-on-exec.
  static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Sends as much of `head` and `tail` as the socket takes without blocking.
  /// - Returns: the bytes taken, 0 when the socket is full, `nil` when the connection is gone.
  static func send(
    _ descriptor: Int32, _ head: UnsafeRawBufferPointer,
    _ tail: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> Int? {
    var parts = (
      iovec(iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count),
      iovec(iov_base: UnsafeMutableRawPointer(mutating: tail.baseAddress), iov_len: tail.count)
    )
    let count = withUnsafeMutableBytes(of: &parts) { parts in
      var message = msghdr()
      message.msg_iov = parts.assumingMemoryBound(to: iovec.self).baseAddress
      message.msg_iovlen = tail.isEmpty ? 1 : 2
      let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
      while true {
        let count = sendmsg(descriptor, &message, flags)
        if count >= 0 || errno != EINTR { return count }
      }
    }
    if count >= 0 { return count }
    return errno == EAGAIN ? 0 : nil
  }

  private static func make() throws(CableError) -> Int32 {
    let descriptor = socket(
      AF_UNIX,
      Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      throw CableError(.system, "The cable's socket could not be made: \(SystemError(errno)).")
    }
    return descriptor
  }

  private static func address(_ path: String) throws(CableError) -> sockaddr_un {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, !bytes.contains(0) else {
      throw CableError(.path, "The cable's socket path is empty or holds a zero byte.")
    }
    guard bytes.count <= CableLimit.path else {
      throw CableError(
        .path,
        "The cable's socket path has \(bytes.count) bytes and a socket path holds at most "
          + "\(CableLimit.path): \(path). Choose a shorter runtime directory.")
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }
}
