import JSON

/// The search for devices behind an MQTT broker, by the messages that it keeps.
package struct MQTTSearch: DeviceSearch {
  package let kind = DiscoveryKind.mqtt
  private let broker: BrokerAddress
  private let isNamedByUser: Bool
  private let acceptance: Duration
  private let timeout: Duration

  /// - Parameters:
  ///   - broker: The broker; the one of this machine if `nil`.
  ///   - acceptance: The time for the broker to accept the connection; `timeout` if `nil`.
  ///   - timeout: The time to wait for messages after that.
  package init(broker: BrokerAddress?, acceptance: Duration? = nil, timeout: Duration) {
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
    let (broker, acceptance, timeout) = (broker, acceptance, timeout)
    let isNamedByUser = isNamedByUser
    return await SearchThread.run("mqtt-search") { flag in
      do throws(BrokerSearchFailure) {
        let messages = try RetainedMessages.collect(
          from: broker, topics: Self.topics,
          request: (topic: "shellies/command", text: "announce"), acceptance: acceptance,
          timeout: timeout, flag)
        return DiscoveryResult(findings: Self.appliances(in: messages).map { $0.finding(broker) })
      } catch {
        return DiscoveryResult(
          problems: isNamedByUser
            ? ["mqtt: \(error.message)"]
            : ["mqtt: \(error.message); a broker elsewhere has to be named"], failed: [.mqtt])
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
