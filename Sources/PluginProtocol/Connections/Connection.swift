/// A connection that carries lines between a controller and a plugin: a process's pipes, or memory
/// in a test.
public protocol Connection: Sendable {
  /// Begins to receive. `receive` is called on one thread at a time, in order, and last with
  /// `.closed`. Called once.
  func start(_ receive: @escaping @Sendable (ConnectionEvent) -> Void)
  /// Sends bytes that end with a newline. Never waits for the peer.
  func send(_ line: [UInt8]) throws(ConnectionError)
  /// Ends the sending side; the peer sees the end of its input.
  func closeSending()
  /// Ends the receiving side, even if another process holds the peer's end open. Bytes that have arrived
  /// are still received, then comes `.closed`.
  func stopReceiving()
}

/// An event of a connection.
public enum ConnectionEvent {
  /// A line without its newline. The bytes are valid during the call only.
  case line(UnsafeBufferPointer<UInt8>)
  /// A line of this many bytes was longer than allowed and has been skipped, with what its beginning and end say.
  case oversizedLine(Int, UnreadableLine)
  /// Nothing more will come.
  case closed
}

/// What can be said of a line that cannot be read as a message.
public enum UnreadableLine: Sendable, Hashable {
  /// It answers the request with this id.
  case answer(Int)
  /// It is a request or a notification.
  case noAnswer
  /// It may be the answer to any request.
  case unknown
}

/// The reason why a line could not be sent.
public enum ConnectionError: Error, Sendable, Hashable {
  /// The peer is gone.
  case closed
  /// The peer has not read for so long that the backlog is full.
  case clogged
}

extension Connection {
  /// Does nothing. Where the peer is no process, no other process can hold the peer's end open.
  public func stopReceiving() {}

  /// Sends a message as one line.
  public func send(_ message: RPCMessage) throws(ConnectionError) {
    try send(message.line())
  }
}
