import Devices

/// A token bucket for the messages of a device: it admits 200 at once, then 50 a second. Further messages wait. A newer
/// message replaces a waiting one with the same topic.
struct MessageLimiter: Sendable {
  /// The number of messages per second.
  static let rate = 50.0
  /// The capacity of the bucket, in messages.
  static let burst = 200.0

  private var tokens = Self.burst
  private var last = Duration.zero
  /// The waiting messages, by topic.
  private var waiting: [String: MQTTMessage] = [:]
  /// The topics of the waiting messages, oldest first.
  private var order: [String] = []

  /// The time at which the next waiting message may be handled; nil if none waits.
  var deadline: Duration? { order.isEmpty ? nil : last + .seconds(max(0, 1 - tokens) / Self.rate) }

  /// Returns whether a message may be handled now. Otherwise it waits for `next(at:)`.
  mutating func admit(_ message: MQTTMessage, at now: Duration) -> Bool {
    refill(now)
    if order.isEmpty, tokens >= 1 {
      tokens -= 1
      return true
    }
    if waiting.updateValue(message, forKey: message.topic) == nil { order.append(message.topic) }
    return false
  }

  /// Removes and returns a waiting message that may be handled now; nil if there is none.
  mutating func next(at now: Duration) -> MQTTMessage? {
    refill(now)
    guard tokens >= 0.999, let topic = order.first else { return nil }
    tokens -= 1
    order.removeFirst()
    return waiting.removeValue(forKey: topic)
  }

  /// Drops all waiting messages, because the connection was lost.
  mutating func clear() {
    waiting = [:]
    order = []
  }

  private mutating func refill(_ now: Duration) {
    tokens = min(Self.burst, tokens + (now - last).seconds * Self.rate)
    last = now
  }
}
