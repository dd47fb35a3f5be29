import Devices
import JSON

/// A message to or from the broker.
struct MQTTMessage: Sendable, Hashable {
  /// The largest size of a payload in bytes; messages with longer ones are dropped.
  static let longestPayload = 65_536

  let topic: String
  let payload: [UInt8]

  init(_ topic: String, _ payload: [UInt8]) {
    self.topic = topic
    self.payload = payload
  }

  init(_ topic: String, _ payload: String) { self.init(topic, Array(payload.utf8)) }

  init(_ topic: String, _ payload: JSON) { self.init(topic, payload.text()) }

  /// The payload as a line of text of at most 64 bytes; nil for a longer payload, and for invalid UTF-8.
  var word: String? {
    guard payload.count <= 64, let text = String(validating: payload, as: UTF8.self) else {
      return nil
    }
    return text.boundedLine(maximumBytes: 64)
  }

  /// The payload as JSON; nil if it is not valid JSON.
  var json: JSON? { try? JSON(parsing: payload) }
}

/// A request that a profile translates into messages.
enum DeviceRequest: Sendable, Hashable {
  /// Turns on or off. A brightness (1 to 100 %) is given only with on, and only for lights with a dimmer.
  case turn(Bool, brightness: Int? = nil)
  /// Turns on for a time. A device that cannot turn itself off afterwards is only turned on.
  case turnOn(for: Duration)
  /// Moves a cover to its upper or lower end.
  case move(CoverEnd)
  /// Stops a cover.
  case stop
  /// Queries the state.
  case query
}

/// An end position of a cover.
enum CoverEnd: Sendable, Hashable {
  case up
  case down

  /// The position in %: 0 is up, 100 is down.
  var lowered: Int { self == .up ? 0 : 100 }
  var opposite: CoverEnd { self == .up ? .down : .up }
}

/// A value that a message of the device reports.
enum Observation: Sendable, Hashable {
  case power(Bool)
  /// 0 to 100 %; nil if the device does not know it.
  case brightness(Int?)
  /// 0 (up) to 100 % (down), from a number; nil if the device does not know it.
  case lowered(Int?)
  /// The end at which a cover is, from a word.
  case end(CoverEnd)
  /// The end towards which a cover moves; nil when it stands still.
  case motion(CoverEnd?)
  /// Whether the device, or its bridge to the broker, can be reached.
  case online(Bool)
  /// The device refused a request, for this reason.
  case refused(String)
}

/// The part of a device that the plugin controls.
enum ApplianceKind: Sendable, Hashable {
  /// On and off.
  case plug
  /// On, off and a brightness.
  case dimmer
  /// A motor between two ends.
  case cover
}

/// The topics and payloads of a family of devices. A profile has no mutable state, and its parsers
/// accept any payload.
protocol DeviceProfile: Sendable {
  /// The topics to subscribe to, without wildcards and in this order. A broker sends retained messages in that order,
  /// and the first state opens the device: so its power or position comes before its brightness or motion.
  var topics: [String] { get }
  /// The topic on which the device reports its state, for error messages.
  var stateTopic: String { get }
  /// The usual time between two messages of a working device; nil if it reports changes only.
  var interval: Duration? { get }
  /// Whether the device reports its state.
  var reportsState: Bool { get }
  /// The duration of a change of brightness that the messages ask for; zero if they leave it to the device.
  var fadeTime: Duration { get }

  /// Returns the messages for a request; none if the device has no message for it.
  func messages(for request: DeviceRequest) -> [MQTTMessage]
  /// Returns whether the device supports a request.
  func supports(_ request: DeviceRequest) -> Bool
  /// Returns the brightness that the device reports after a command with the given brightness, both
  /// 1 to 100 %. They differ if the device's own scale is coarse.
  func reportedBrightness(for brightness: Int) -> Int
  /// Returns the observations in a message, in the order in which they apply. None for other topics and for payloads
  /// without a meaning.
  func observations(in message: MQTTMessage) -> [Observation]
}

extension DeviceProfile {
  var reportsState: Bool { true }
  var fadeTime: Duration { .zero }
  func supports(_ request: DeviceRequest) -> Bool { true }
  func reportedBrightness(for brightness: Int) -> Int { brightness }
}
