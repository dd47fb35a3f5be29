import NIOCore

/// What a connection may take of the controller: room, and time.
package struct ConnectionLimits: Sendable {
  /// How many connections there are at once.
  package var connections = 256
  /// How many of them may come from one address; this machine's own are not counted.
  package var connectionsFromOneAddress = 64
  /// From the connection's beginning (TLS included) until the head of its first request is there.
  package var firstHead = TimeAmount.seconds(10)
  /// From a request's head until its body is there as a whole.
  package var body = TimeAmount.seconds(30)
  /// From an answer until the next request's head is there as a whole.
  package var idle = TimeAmount.seconds(75)
  /// For how long a listener that takes nothing may keep an answer waiting.
  package var stalledAnswer = TimeAmount.seconds(30)
  /// From the end of a stream of events, or of the server, until its connections are dropped: time
  /// for a peer to take what was sent, and to close.
  package var farewell = TimeAmount.milliseconds(500)
  /// How many bytes of answers may wait in the system for a listener that does not read.
  package var systemBuffer = 128 * 1024
  /// How many bytes of a body are read and thrown away, so that its sender hears why it was refused,
  /// before the connection is cut.
  package var refusedBody = 1024 * 1024

  package static let standard = ConnectionLimits()

  package init() {}
}
