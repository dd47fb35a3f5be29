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

  /// The reason why a connection failed.
  struct Refusal: Error {
    let reason: String
  }

  /// Starts to connect to a host.
  ///
  /// - Parameter time: The time after which the caller closes the socket if it is not connected by then.
  /// - Throws: `noConnection` when the system has no descriptor or thread left.
  convenience init(host: String, port: UInt16, within time: Duration) throws(LinkFailure) {
    try self.init(within: time) { () throws(Refusal) -> [SocketAddress] in
      try SocketAddress.resolve(host, port)
    }
  }

  /// Starts to connect to the first of several addresses that accepts a connection.
  ///
  /// - Parameters:
  ///   - time: The time after which the caller closes the socket if it is not connected by then.
  ///   - addresses: Returns the addresses, best first. It is called on the socket's thread, so it may block.
  /// - Throws: `noConnection` when the system has no descriptor or thread left.
  init(
    within time: Duration,
    toAnyOf addresses: @escaping @Sendable () throws(Refusal) -> [SocketAddress]
  ) throws(LinkFailure) {
    do throws(SystemError) {
      wakeup = try WakeupDescriptor()
    } catch {
      throw .noConnection(error.description)
    }
    let thread: SystemThread
    do throws(SystemError) {
      thread = try SystemThread(name: "projector", stack: 128 << 10) {
        self.run(addresses, within: time)
      }
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

  private func run(
    _ addresses: () throws(Refusal) -> [SocketAddress], within time: Duration
  ) {
    let last: Event
    do throws(Refusal) {
      let descriptor = try connect(toAnyOf: addresses, within: time)
      state.withLock { $0.descriptor = descriptor }
      events.append(.connected)
      last = receive(descriptor)
    } catch {
      last = .closed(error.reason)
    }
    state.withLock { state in
      if let descriptor = state.descriptor { Glibc.close(descriptor) }
      state.descriptor = nil
      state.hasEnded = true
      wakeup.close()
    }
    events.append(last)
  }

  /// Tries the addresses in turn. Each one gets an equal share of the time that is left. The last one is tried until
  /// `close`.
  private func connect(
    toAnyOf addresses: () throws(Refusal) -> [SocketAddress], within time: Duration
  ) throws(Refusal) -> Int32 {
    let clock = SystemClock()
    let deadline = clock.now() + time
    var rest = try addresses()[...]
    var failure = Refusal(reason: "it has no address")
    while let address = rest.popFirst(), !state.withLock({ $0.isClosing }) {
      let share = (deadline - clock.now()) / (rest.count + 1)
      do throws(Refusal) {
        return try connect(to: address, within: rest.isEmpty ? nil : share)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Connects to one address.
  ///
  /// - Parameter time: The longest wait until the connection is accepted; nil for no limit.
  private func connect(
    to address: SocketAddress, within time: Duration?
  ) throws(Refusal) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { throw Refusal(reason: SystemError(errno).description) }
    var code = address.connect(descriptor)
    if code == EINPROGRESS {
      if wait(for: descriptor, Int16(POLLOUT), within: time) {
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
      } else {
        code = ETIMEDOUT
      }
    }
    guard code == 0 else {
      Glibc.close(descriptor)
      throw Refusal(reason: SystemError(code).description)
    }
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// Waits until the socket is ready. Returns false if `close` was called, or if the time is over.
  ///
  /// - Parameter time: The longest wait; nil for no limit.
  private func wait(
    for descriptor: Int32, _ events: Int16, within time: Duration? = nil
  ) -> Bool {
    let timeout = time.map { Int32(max(0, $0 / .milliseconds(1))) } ?? -1
    var polled = [
      pollfd(fd: descriptor, events: events, revents: 0),
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    var count = poll(&polled, nfds_t(polled.count), timeout)
    while count < 0, errno == EINTR { count = poll(&polled, nfds_t(polled.count), timeout) }
    return count > 0 && !state.withLock { $0.isClosing }
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
