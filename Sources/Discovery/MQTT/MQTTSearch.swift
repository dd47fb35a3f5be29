import JSON
import MQTTClient

/// The search for devices behind an MQTT broker, by the messages that it keeps.
package struct MQTTSearch: DeviceSearch {
  package let kind = DiscoveryKind.mqtt
  private let broker: BrokerAddress
  private let secret: String
  private let isNamedByUser: Bool
  private let acceptance: Duration
  private let timeout: Duration

  /// - Parameters:
  ///   - broker: The broker; the one of this machine if `nil`.
  ///   - secret: The name of the secret that the entries have in place of the broker's password.
  ///   - acceptance: The time for the broker to accept the connection; `timeout` if `nil`.
  ///   - timeout: The time to wait for messages after that.
  package init(
    broker: BrokerAddress?, secret: String = "mqtt", acceptance: Duration? = nil, timeout: Duration
  ) {
    self.secret = secret
    isNamedByUser = broker != nil
    self.broker = broker ?? BrokerAddress(host: "localhost")
    self.acceptance = acceptance ?? timeout
    self.timeout = timeout
  }

  static let topics = [
    "tasmota/discovery/+/config", "tele/+/LWT", "+/bridge/devices", "+/online", "+/status/+",
    "shellies/announce", "shellies/+/announce", "shellies/+/+/+", "homeassistant/+/+/config",
    "homeassistant/+/+/+/config",
  ]

  package func run() async -> DiscoveryResult {
    await SearchThread.run("mqtt-search") { flag in
      do throws(MQTTFailure) {
        let messages = try RetainedMessages.collect(
          from: broker, topics: Self.topics,
          request: (topic: "shellies/command", text: "announce"), acceptance: acceptance,
          timeout: timeout, flag)
        return DiscoveryResult(
          findings: Self.appliances(in: messages).map { $0.finding(broker, secret: secret) })
      } catch {
        let advice = isNamedByUser ? "" : "; a broker elsewhere has to be named"
        return DiscoveryResult(
          problems: ["mqtt: \(error.problem(of: broker))\(advice)"], failed: [.mqtt])
      }
    }
  }

  /// Returns the appliances in retained messages, each once. Pure.
  static func appliances(in messages: [String: [UInt8]]) -> [MQTTAppliance] {
    let families =
      FamilyParsers.tasmota(messages) + FamilyParsers.zigbee2MQTT(messages)
      + FamilyParsers.shelly(messages)
    // Devices of the families announce themselves to Home Assistant too.
    let bases = Set(families.compactMap(\.commandBase))
    return families
      + FamilyParsers.distinct(
        HomeAssistantParser.appliances(messages).filter {
          !HomeAssistantParser.isOfFamily($0, bases: bases)
        })
  }
}

extension MQTTFailure {
  /// The reason why the search could not reach its broker, for people.
  fileprivate func problem(of broker: BrokerAddress) -> String {
    let failure = "no connection to the broker at \(broker.hostAndPort):"
    return switch self {
    case .noLibrary(let problem): "\(problem); install it: apt install libmosquitto1"
    case .certificateFile(let file, let problem):
      "\(failure) its certificate file \(file.quotation) \(problem)"
    case .refused(4...5, _) where broker.user == nil:
      "\(failure) it wants a login; name a user and a password"
    case .refused(4...5, _): "\(failure) it refuses the user and the password"
    case .refused(_, let reason), .disconnected(let reason, _): "\(failure) \(reason)"
    }
  }
}
