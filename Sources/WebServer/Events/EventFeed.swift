import HomeTheater
import NIOCore
import Synchronization

/// What keeps one listener's stream going: it is woken when there is something to tell, and when
/// nothing was told for a while; it ends when there is nobody to tell it to any more.
///
/// What is told waits in the log for all listeners together. So one that does not read costs no more
/// than what is on its way to it: a portion here, 64 KiB in the connection, 128 KiB in the system.
final class EventFeed: Sendable {
  private let bell: EventSubscription
  private let channel: any Channel
  private let ended = Atomic(false)
  private let silent = Atomic(false)

  /// - Parameter channel: The connection of the stream, on which nothing follows it.
  init(_ bell: EventSubscription, on channel: any Channel) {
    self.bell = bell
    self.channel = channel
  }

  /// Rings when there is something to do; ends with the feed.
  var rings: AsyncStream<Void> { bell.signals }

  /// Whether nothing more may be sent, whatever still waits.
  var isOver: Bool { ended.load(ordering: .acquiring) }

  /// Asks for a sign of life.
  func remind() {
    silent.store(true, ordering: .releasing)
    bell.signal()
  }

  /// Whether a sign of life was asked for since the last time.
  func takeReminder() -> Bool { silent.exchange(false, ordering: .acquiringAndReleasing) }

  /// Ends the stream, and its connection soon after: a listener that takes nothing would keep both.
  func end() {
    ended.store(true, ordering: .releasing)
    bell.end()
    channel.triggerUserOutboundEvent(ConnectionEnding(), promise: nil)
  }
}
