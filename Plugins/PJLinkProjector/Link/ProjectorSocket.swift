import Glibc
import Platform
import Synchronization

/// A TCP connection to a projector. A separate thread resolves the host's name, connects and receives, so that a
/// network that hangs blocks no other work. Safe from any thread.
final class ProjectorSocket: Sendable {
  enum Event: Sendable {
    case connected
    case received([UInt8])
    /// The connection has ended. If it failed, the text is the system's reason.
    case closed(String?)
    /// The projector sent more while ``mostWaiting`` received pieces were unread.
    case flooded
  }

  /// The largest number of received pieces that wait for the reader.
  static let mostWaiting = 64
  /// The largest size of a piece in bytes.
  private static let pieceSize = 512

  /// The events of the socket, in order. The last one is `closed` or `flooded`.
  let events = TimedQueue<Event>()
  private let wakeup: WakeupDescriptor
  private let state = Mutex(State())

  private struct State {
    /// The descriptor of the connected socket; nil before the connection and after its end.
    var descriptor: Int32?
    var isClosing = false
    /// Whether the thread has closed its descriptors.
    var hasEnded = false
  }

  /// Starts to connect.
  ///
  /// - Throws: `noConnection` when the system has no descriptor or thread left.
  init(host: String, port: UInt16) throws(LinkFailure) {
    do throws(SystemError) {
      wakeup = try WakeupDescriptor()
    } catch {
      throw .noConnection(error.description)
    }
    let thread: SystemThread
    do throws(SystemError) {
      thread = try SystemThread(name: "projector", stack: 128 << 10) { self.run(host, port) }
    } catch {
      wakeup.close()
      throw .noConnection(error.description)
    }
    thread.detach()
  }

  /// Sends bytes without waiting. Returns false if the connection does not accept all of them.
  func send(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard let descriptor = state.descriptor, !state.isClosing else { return false }
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      return count == bytes.count
    }
  }

  /// Ends the connection. The thread then closes its descriptors; during a name resolution, after its end.
  func close() {
    state.withLock { state in
      state.isClosing = true
      if !state.hasEnded { wakeup.signal() }
    }
  }

  // MARK: The thread

  private func run(_ host: String, _ port: UInt16) {
    let last: Event
    switch connect(host, port) {
    case .failure(let error): last = .closed(error.reason)
    case .success(let descriptor):
      state.withLock { $0.descriptor = descriptor }
      events.append(.connected)
      last = receive(descriptor)
    }
    state.withLock { state in
      if let descriptor = state.descriptor { Glibc.close(descriptor) }
      state.descriptor = nil
      state.hasEnded = true
      wakeup.close()
    }
    events.append(last)
  }

  /// The reason why a connection failed.
  private struct Refusal: Error {
    let reason: String
  }

  /// Resolves the host's name, and tries its addresses in turn.
  private func connect(_ host: String, _ port: UInt16) -> Result<Int32, Refusal> {
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    wanted.ai_flags = AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &wanted, &found)
    guard code == 0 else { return .failure(Refusal(reason: String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(found) }
    var failure = Refusal(reason: "it has no address")
    var next = found
    while let entry = next, !state.withLock({ $0.isClosing }) {
      do throws(Refusal) {
        return .success(try connect(to: entry.pointee))
      } catch {
        failure = error
      }
      next = entry.pointee.ai_next
    }
    return .failure(failure)
  }

  private func connect(to address: addrinfo) throws(Refusal) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.ai_family, kind, 0)
    guard descriptor >= 0 else { throw Refusal(reason: SystemError(errno).description) }
    var isConnected = Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0
    var code = isConnected ? 0 : errno
    if code == EINPROGRESS {
      let isDone = wait(for: descriptor, Int16(POLLOUT))
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
      isConnected = isDone && code == 0
      if !isDone { code = ECANCELED }
    }
    guard isConnected else {
      Glibc.close(descriptor)
      throw Refusal(reason: SystemError(code).description)
    }
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// Waits until the socket is ready. Returns false if `close` was called.
  private func wait(for descriptor: Int32, _ events: Int16) -> Bool {
    var polled = [
      pollfd(fd: descriptor, events: events, revents: 0),
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&polled, nfds_t(polled.count), -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return !state.withLock { $0.isClosing }
  }

  /// Receives until the connection ends. Returns the last event.
  private func receive(_ descriptor: Int32) -> Event {
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    while wait(for: descriptor, Int16(POLLIN)) {
      let count = recv(descriptor, &piece, piece.count, 0)
      if count > 0 {
        let isTaken = events.append(
          .received(Array(piece.prefix(count))), limit: Self.mostWaiting)
        if !isTaken { return .flooded }
      } else if count == 0 {
        return .closed(nil)
      } else if errno != EINTR, errno != EAGAIN {
        return .closed(SystemError(errno).description)
      }
    }
    return .closed(nil)
  }
}
