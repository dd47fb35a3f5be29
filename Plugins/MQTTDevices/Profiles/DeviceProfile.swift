import Devices
import JSON

/// A message of the broker.
struct MQTTMessage: Sendable, Hashable {
  /// The most bytes of a payload; longer ones are dropped.
  static let longestPayload = 65_536
  /// The most bytes of a topic.
  static let longestTopic = 512

  let topic: String
  let payload: [UInt8]

  init(_ topic: String, _ payload: [UInt8]) {
    self.topic = topic
    self.payload = payload
  }

  init(_ topic: String, _ payload: String) { self.init(topic, Array(payload.utf8)) }

  init(_ topic: String, _ payload: JSON) { self.init(topic, payload.text()) }

  /// The payload as a word of at most 64 bytes; nil for longer ones and for bytes that are no UTF-8.
  var word: String? {
    guard payload.count <= 64, let text = String(validating: payload, as: UTF8.self) else {
      return nil
    }
    return text.boundedLine(maximumBytes: 64)
  }

  /// The payload as JSON; nil if it is none.
  var json: JSON? { try? JSON(parsing: payload) }
}

/// A request that a profile translates into messages.
enum DeviceRequest: Sendable, Hashable {
  /// On or off; the brightness in % (1 to 100) only with on, and only for lights with a dimmer.
  case turn(Bool, brightness: Int? = nil)
  /// On for a time, where the device can turn itself off afterwards; simply on elsewhere.
  case turnOn(for: Duration)
  /// Moves a cover to its upper or lower end.
  case move(CoverEnd)
  /// Stops a cover.
  case stop
  /// Asks for the state.
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
  /// 0 to 100 %.
  case brightness(Int)
  /// 0 (up) to 100 % (down).
  case lowered(Int)
  /// The end towards which a cover moves; nil when it stands still.
  case motion(CoverEnd?)
  /// Whether the device, or its bridge to the broker, can be reached.
  case online(Bool)
  /// The device refused the last request.
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

/// The topics and payloads of a family of devices. Without state; the parsers accept any payload.
protocol DeviceProfile: Sendable {
  /// The topics to subscribe to, without wildcards.
  var topics: [String] { get }
  /// The topic on which the device reports its state, for messages.
  var stateTopic: String { get }
  /// The usual time between two messages of a working device; nil if it reports changes only.
  var interval: Duration? { get }
  /// Whether the device reports its state.
  var reportsState: Bool { get }

  /// Returns the messages of a request; none if there is nothing to send for it.
  func messages(for request: DeviceRequest) -> [MQTTMessage]
  /// Whether the device supports a request.
  func has(_ request: DeviceRequest) -> Bool
  /// Returns the observations in a message, in their order; none for other topics and unknown payloads.
  func observations(in message: MQTTMessage) -> [Observation]
}

extension DeviceProfile {
  var reportsState: Bool { true }
  func has(_ request: DeviceRequest) -> Bool { true }
}

extension JSON {
  /// The number as a percentage of `maximum`, rounded and clamped to 0 to 100; nil for other values.
  func percent(of maximum: Double) -> Int? {
    guard let number, number.isFinite, maximum > 0 else { return nil }
    return Int((min(max(number / maximum, 0), 1) * 100).rounded())
  }

  /// `ON` or `OFF` in any case, `true` or `false`, 1 or 0; nil for others.
  var isOn: Bool? {
    switch self {
    case .bool(let isOn): return isOn
    case .string(let word): return word.isOnWord
    default:
      guard let number = integer else { return nil }
      return number == 1 ? true : number == 0 ? false : nil
    }
  }
}

extension String {
  /// `on`, `true` or `1`; `off`, `false` or `0`; nil for others. The case does not matter.
  var isOnWord: Bool? {
    guard utf8.count <= 8 else { return nil }
    switch lowercased() {
    case "on", "true", "1": return true
    case "off", "false", "0": return false
    default: return nil
    }
  }
}
