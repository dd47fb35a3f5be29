import HomeTheater
import Hummingbird
import JSON
import Synchronization

/// What a listener's stream is fed with, from several tasks, bounded: of too much the oldest is
/// lost, which shows as a gap in the sequence.
final class EventFeed: Sendable {
  enum Signal: Sendable {
    case entry(EventLog.Entry)
    /// Nothing happened for a while.
    case silence
  }

  let signals: AsyncStream<Signal>
  private let continuation: AsyncStream<Signal>.Continuation
  private let ended = Atomic(false)

  init() {
    (signals, continuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(EventLog.capacity))
  }

  /// Whether nothing more may be sent, whatever still waits.
  var isOver: Bool { ended.load(ordering: .acquiring) }

  func yield(_ signal: Signal) { continuation.yield(signal) }

  /// Ends the stream.
  func end() {
    ended.store(true, ordering: .releasing)
    continuation.finish()
  }
}

/// The text of server-sent events.
struct EventText {
  private var bytes: [UInt8] = []

  /// How many bytes were written since the last time.
  var count: Int { bytes.count }

  /// A line that listeners pass over.
  mutating func comment(_ text: String) {
    bytes.append(contentsOf: ": \(text)\n\n".utf8)
  }

  /// One event. JSON text holds no line break, so it is one line of data.
  mutating func event(_ name: String, id: String, data: JSON) {
    bytes.append(contentsOf: "id: \(id)\nevent: \(name)\ndata: ".utf8)
    data.append(to: &bytes)
    bytes.append(contentsOf: "\n\n".utf8)
  }

  /// What was written since the last time.
  mutating func take() -> ByteBuffer {
    defer { bytes.removeAll(keepingCapacity: true) }
    return ByteBuffer(bytes: bytes)
  }
}
