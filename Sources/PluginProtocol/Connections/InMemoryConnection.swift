import Synchronization

/// A connection in memory that behaves like a process's pipes, for tests without a process.
public final class InMemoryConnection: Connection {
  private let incoming: AsyncStream<[UInt8]>
  private let outgoing: AsyncStream<[UInt8]>.Continuation
  private let isClosed = Mutex(false)

  private init(incoming: AsyncStream<[UInt8]>, outgoing: AsyncStream<[UInt8]>.Continuation) {
    self.incoming = incoming
    self.outgoing = outgoing
  }

  /// Two ends that are connected with each other.
  public static func pair() -> (controller: InMemoryConnection, plugin: InMemoryConnection) {
    let (toPlugin, pluginInput) = AsyncStream<[UInt8]>.makeStream()
    let (toController, controllerInput) = AsyncStream<[UInt8]>.makeStream()
    return (
      InMemoryConnection(incoming: toController, outgoing: pluginInput),
      InMemoryConnection(incoming: toPlugin, outgoing: controllerInput)
    )
  }

  public func start(_ receive: @escaping @Sendable (ConnectionEvent) -> Void) {
    let incoming = incoming
    // The one long-lived task of this end; it ends with the stream.
    Task {
      var splitter = LineSplitter()
      for await bytes in incoming {
        bytes.withUnsafeBufferPointer { splitter.append($0, receive) }
      }
      receive(.closed)
    }
  }

  /// - Throws: `.closed` after `closeSending`, or when the other end no longer reads.
  public func send(_ line: [UInt8]) throws(ConnectionError) {
    guard !isClosed.withLock({ $0 }) else { throw .closed }
    if case .terminated = outgoing.yield(line) { throw .closed }
  }

  public func closeSending() {
    isClosed.withLock { $0 = true }
    outgoing.finish()
  }
}
