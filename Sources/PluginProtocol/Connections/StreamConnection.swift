import CLinux
import Devices
import Glibc
import Synchronization

/// Lines over a pair of file descriptors: a child's pipes, or a plugin's stdin and stdout.
///
/// One thread waits for the peer. Sending writes at once, or, while an arrival is being worked off,
/// at its end: a report and the answer after it wake the peer once. Only what the peer does not take is kept,
/// up to `ProtocolLimits.largestBacklog`, and written by that thread when there is room, so a peer
/// that hangs never makes a caller wait.
public final class StreamConnection: Connection {
  private let input: Int32
  private let wakeUp: Int32
  private let answersAfterEnd: Bool
  private let output: Mutex<Output>

  private struct Output {
    var descriptor: Int32?
    var backlog: [UInt8] = []
    var isClosing = false

    mutating func keep(_ bytes: ArraySlice<UInt8>) -> Bool {
      guard backlog.count + bytes.count <= ProtocolLimits.largestBacklog else { return false }
      backlog.append(contentsOf: bytes)
      return true
    }

    mutating func closeDescriptor() {
      if let descriptor { close(descriptor) }
      descriptor = nil
    }
  }

  /// Takes both descriptors: they are closed when the connection ends.
  ///
  /// - Parameter answersAfterEnd: Whether the end of the input leaves the output open until
  ///   `closeSending`, so that what was asked before is still answered.
  public init(
    reading input: Int32, writing descriptor: Int32, answersAfterEnd: Bool = false
  ) {
    self.input = input
    self.answersAfterEnd = answersAfterEnd
    wakeUp = linux_eventfd()
    output = Mutex(Output(descriptor: descriptor))
    let flags = fcntl(descriptor, F_GETFL)
    if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
  }

  public func start(_ receive: @escaping @Sendable (ConnectionEvent) -> Void) {
    PosixThread.start(name: "lines") { [self] in
      run(receive)
      finish()
      receive(.closed)
    }
  }

  public func send(_ line: [UInt8]) throws(ConnectionError) {
    let outcome: Result<Bool, ConnectionError> = output.withLock { output in
      guard let descriptor = output.descriptor, !output.isClosing else { return .failure(.closed) }
      guard output.backlog.isEmpty else {
        return output.keep(line[...]) ? .success(false) : .failure(.clogged)
      }
      if ArrivalExecutor.shared.atEndOfArrival({ self.flush() }) {
        return output.keep(line[...]) ? .success(false) : .failure(.clogged)
      }
      switch Self.write(line[...], to: descriptor) {
      case .none: return .failure(.closed)
      case .some(let written) where written == line.count: return .success(false)
      case .some(let written):
        return output.keep(line[written...]) ? .success(true) : .failure(.clogged)
      }
    }
    if try outcome.get() { wake() }
  }

  private func flush() {
    writeBacklog()
    if output.withLock({ !$0.backlog.isEmpty }) { wake() }
  }

  public func closeSending() {
    // What waits for the end of an arrival goes out before a process may exit.
    writeBacklog()
    let mustWake = output.withLock { output in
      output.isClosing = true
      if output.backlog.isEmpty { output.closeDescriptor() }
      return !output.backlog.isEmpty
    }
    if mustWake { wake() }
  }

  // MARK: The thread

  private func run(_ receive: (ConnectionEvent) -> Void) {
    var splitter = LineSplitter()
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
    defer { buffer.deallocate() }
    while waitForInput() {
      let count = read(input, buffer.baseAddress, buffer.count)
      if count > 0 {
        splitter.take(UnsafeBufferPointer(rebasing: buffer[..<count]), receive)
      } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
        return
      }
    }
  }

  /// Waits until there is something to read, writing the backlog meanwhile. False at an error.
  private func waitForInput() -> Bool {
    while true {
      let pending = output.withLock { $0.backlog.isEmpty ? nil : $0.descriptor }
      var interests = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        pollfd(fd: pending ?? -1, events: Int16(POLLOUT), revents: 0),
      ]
      let ready = poll(&interests, nfds_t(interests.count), -1)
      if ready < 0 {
        if errno == EINTR { continue }
        return false
      }
      if interests[1].revents != 0 {
        var count: UInt64 = 0
        _ = read(wakeUp, &count, 8)
      }
      if interests[2].revents != 0 { writeBacklog() }
      if interests[0].revents != 0 { return true }
    }
  }

  private func writeBacklog() {
    output.withLock { output in
      guard let descriptor = output.descriptor else { return }
      if let written = Self.write(output.backlog[...], to: descriptor) {
        output.backlog.removeFirst(written)
      } else {
        output.backlog = []
        output.isClosing = true
      }
      if output.isClosing, output.backlog.isEmpty { output.closeDescriptor() }
    }
  }

  private func finish() {
    if !answersAfterEnd { output.withLock { $0.closeDescriptor() } }
    close(input)
  }

  private func wake() {
    var one: UInt64 = 1
    _ = Glibc.write(wakeUp, &one, 8)
  }

  deinit { close(wakeUp) }

  /// How many bytes the peer took; `nil` when it is gone.
  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
    bytes.withUnsafeBytes { storage in
      while true {
        let count = Glibc.write(descriptor, storage.baseAddress, storage.count)
        if count >= 0 { return count }
        if errno == EAGAIN { return 0 }
        if errno != EINTR { return nil }
      }
    }
  }
}
