import Devices
import Glibc
import Platform
import Synchronization

/// Lines over a pair of file descriptors: a child's pipes, or a plugin's stdin and stdout.
///
/// One thread reads. `send` writes at once. While a received message is handled, it collects the lines and writes them
/// at the end, so that a report and the answer after it wake the peer once. Bytes that the pipe does not take are kept,
/// up to `ProtocolLimits.largestBacklog`; a second thread writes them, and then ends. So no caller waits for a peer
/// that hangs, and `poll` is called only when the pipe is full.
public final class StreamConnection: Connection {
  private let input: Mutex<Input>
  private let answersAfterEnd: Bool
  private let output: Mutex<Output>

  private struct Input {
    let descriptor: Int32
    /// The bytes that the reading thread still accepts after `stopReceiving`; `nil` before.
    var remainder: Int?
    var isClosed = false
  }

  private struct Output {
    var descriptor: Int32?
    var backlog: [UInt8] = []
    var isClosing = false
    /// Whether the second thread runs. While it does, no other thread closes the descriptor.
    var isDraining = false

    mutating func appendToBacklog(_ bytes: ArraySlice<UInt8>) -> Bool {
      guard backlog.count + bytes.count <= ProtocolLimits.largestBacklog else { return false }
      backlog.append(contentsOf: bytes)
      return true
    }

    /// Writes the backlog, as far as the pipe takes it.
    mutating func writeBacklog() {
      guard let descriptor else { return }
      if let written = StreamConnection.write(backlog[...], to: descriptor) {
        backlog.removeFirst(written)
      } else {
        backlog = []
        isClosing = true
      }
      if isClosing, backlog.isEmpty, !isDraining { closeDescriptor() }
    }

    mutating func closeDescriptor() {
      if let descriptor { close(descriptor) }
      descriptor = nil
    }
  }

  /// Takes ownership of both descriptors: they are closed when the connection ends.
  ///
  /// - Parameter answersAfterEnd: Whether the output stays open after the end of the input, until
  ///   `closeSending`, so that earlier requests are still answered.
  public init(
    reading input: Int32, writing descriptor: Int32, answersAfterEnd: Bool = false
  ) {
    self.input = Mutex(Input(descriptor: input))
    self.answersAfterEnd = answersAfterEnd
    output = Mutex(Output(descriptor: descriptor))
    let flags = fcntl(descriptor, F_GETFL)
    if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
  }

  /// Starts the thread on which `receive` is called.
  public func start(_ receive: @escaping @Sendable (ConnectionEvent) -> Void) {
    SystemThread.start(name: "lines") { [self] in
      run(receive)
      finish()
      receive(.closed)
    }
  }

  /// Keeps the bytes that the pipe does not take now, and writes them later.
  /// - Throws: `.closed`; `.clogged` when too many bytes wait for the peer.
  public func send(_ line: [UInt8]) throws(ConnectionError) {
    let outcome: Result<Bool, ConnectionError> = output.withLock { output in
      guard let descriptor = output.descriptor, !output.isClosing else { return .failure(.closed) }
      guard output.backlog.isEmpty else {
        return output.appendToBacklog(line[...]) ? .success(false) : .failure(.clogged)
      }
      if ArrivalExecutor.shared.atEndOfArrival({ self.flush() }) {
        return output.appendToBacklog(line[...]) ? .success(false) : .failure(.clogged)
      }
      switch Self.write(line[...], to: descriptor) {
      case .none: return .failure(.closed)
      case .some(let written) where written == line.count: return .success(false)
      case .some(let written):
        return output.appendToBacklog(line[written...]) ? .success(true) : .failure(.clogged)
      }
    }
    if try outcome.get() { drain() }
  }

  private func flush() {
    let isClogged = output.withLock { output in
      output.writeBacklog()
      return !output.backlog.isEmpty
    }
    if isClogged { drain() }
  }

  /// Sends the backlog, then closes the output.
  public func closeSending() {
    let isClogged = output.withLock { output in
      output.isClosing = true
      // Messages that wait for the end of an arrival are sent before the process may exit.
      output.writeBacklog()
      return !output.backlog.isEmpty
    }
    if isClogged { drain() }
  }

  public func stopReceiving() {
    input.withLock { input in
      guard !input.isClosed, input.remainder == nil else { return }
      input.remainder = Self.largestPipe
      let flags = fcntl(input.descriptor, F_GETFL)
      if flags >= 0 { _ = fcntl(input.descriptor, F_SETFL, flags | O_NONBLOCK) }
      // Nothing but a byte wakes a thread that is blocked in `read` on a pipe. Without /proc the thread
      // stays until the last holder has closed the pipe.
      let path = "/proc/self/fd/\(input.descriptor)"
      let writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      guard writer >= 0 else { return }
      _ = Glibc.write(writer, "\n", 1)
      close(writer)
    }
  }

  // MARK: The reading thread

  /// The most bytes that a pipe holds, unless root has raised `pipe-max-size`.
  private static let largestPipe = 1 << 20

  /// Whether the thread continues to read after `count` bytes; 0 means that none are there at present.
  private func continuesReading(after count: Int) -> Bool {
    input.withLock { input in
      guard let remainder = input.remainder else { return true }
      input.remainder = remainder - count
      return count > 0 && count <= remainder
    }
  }

  private func run(_ receive: (ConnectionEvent) -> Void) {
    let input = input.withLock { $0.descriptor }
    var splitter = LineSplitter()
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
    defer { buffer.deallocate() }
    var polling = BriefPolling()
    while true {
      polling.wait(for: input)
      let count = read(input, buffer.baseAddress, buffer.count)
      if count > 0 {
        polling.recordArrival()
        splitter.append(UnsafeBufferPointer(rebasing: buffer[..<count]), receive)
        guard continuesReading(after: count) else { return }
      } else if count < 0, errno == EAGAIN {
        guard continuesReading(after: 0) else { return }
        // The descriptor was made non-blocking by the process that started this one.
        var arrival = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        _ = poll(&arrival, 1, -1)
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }

  private func finish() {
    if !answersAfterEnd {
      output.withLock { output in
        output.backlog = []
        output.isClosing = true
        if !output.isDraining { output.closeDescriptor() }
      }
    }
    input.withLock { input in
      input.isClosed = true
      close(input.descriptor)
    }
  }

  // MARK: The draining thread

  /// Starts the thread that writes the backlog, unless it runs.
  private func drain() {
    let mustStart = output.withLock { output in
      defer { output.isDraining = true }
      return !output.isDraining
    }
    guard mustStart else { return }
    SystemThread.start(name: "drain") { [self] in
      while let descriptor = waiting() {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // After an interruption or an error the next write decides. Looks each second whether the peer has ended:
        // a child of it that still holds the pipe and never reads would keep this thread for ever.
        _ = poll(&room, 1, 1000)
        output.withLock { $0.writeBacklog() }
      }
    }
  }

  /// The descriptor while there is a backlog; `nil` ends the draining thread.
  private func waiting() -> Int32? {
    output.withLock { output in
      if !output.backlog.isEmpty, let descriptor = output.descriptor { return descriptor }
      output.isDraining = false
      if output.isClosing { output.closeDescriptor() }
      return nil
    }
  }

  /// How many bytes the peer took; `nil` when it is gone.
  fileprivate static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
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
