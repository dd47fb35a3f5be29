import HomeTheater
import NIOCore
import Synchronization

/// Wakes the stream of one client when events or a keep-alive are due, and ends it.
///
/// The event log holds the events for all clients. A client that does not read therefore costs only the
/// data on its way: one batch here, 64 KiB in the connection, 128 KiB in the kernel.
final class EventFeed: Sendable {
  private let subscription: EventSubscription
  private let channel: any Channel
  private let ended = Atomic(false)
  private let isKeepAliveDue = Atomic(false)

  /// - Parameter channel: The connection of the stream. The stream ends when the client closes its side, or when
  ///   the controller stops, and the connection ends with the stream. A controller that stops closes its listener
  ///   first, so that a client that asks why its stream ended finds no controller.
  init(_ subscription: EventSubscription, on channel: any Channel) {
    self.subscription = subscription
    self.channel = channel
    channel.watchInput { self.end() }
  }

  /// Signals that there is something to do; ends with the feed.
  var signals: AsyncStream<Void> { subscription.signals }

  /// Whether the stream has ended: nothing more is sent, even if events wait.
  var isOver: Bool { ended.load(ordering: .acquiring) }

  /// Wakes the stream.
  func wake() { subscription.signal() }

  /// Requests a keep-alive.
  func requestKeepAlive() {
    isKeepAliveDue.store(true, ordering: .releasing)
    subscription.signal()
  }

  /// Returns whether a keep-alive was requested since the last call.
  func consumeKeepAlive() -> Bool {
    isKeepAliveDue.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Ends the stream, and soon its connection, even if the client reads nothing.
  func end() {
    ended.store(true, ordering: .releasing)
    subscription.end()
    channel.triggerUserOutboundEvent(ConnectionEnding(), promise: nil)
  }
}
