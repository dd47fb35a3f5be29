import Devices

/// Bounds the messages that a device handles: 50 a second, after 200 at once. Of those beyond it the newest of
/// each topic waits until there is room.
struct MessageLimiter: Sendable {
  static let rate = 50.0
  static let burst = 200.0

  private var room = Self.burst
  private var last = Duration.zero
  private var waiting: [String: MQTTMessage] = [:]
  private var order: [String] = []

  /// When a waiting message may be handled; nil without one.
  var deadline: Duration? { order.isEmpty ? nil : last + .seconds(max(0, 1 - room) / Self.rate) }

  /// Takes a message; true if it may be handled now, false if it waits.
  mutating func admit(_ message: MQTTMessage, at now: Duration) -> Bool {
    refill(now)
    if order.isEmpty, room >= 1 {
      room -= 1
      return true
    }
    if waiting.updateValue(message, forKey: message.topic) == nil { order.append(message.topic) }
    return false
  }

  /// Returns a waiting message that may be handled now; nil without one.
  mutating func next(at now: Duration) -> MQTTMessage? {
    refill(now)
    guard room >= 0.999, let topic = order.first else { return nil }
    room -= 1
    order.removeFirst()
    return waiting.removeValue(forKey: topic)
  }

  /// Drops all waiting messages: contact was lost.
  mutating func clear() {
    waiting = [:]
    order = []
  }

  private mutating func refill(_ now: Duration) {
    room = min(Self.burst, room + (now - last).seconds * Self.rate)
    last = now
  }
}
