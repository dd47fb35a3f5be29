import JSON

/// The search for devices behind an MQTT broker, by the messages that it keeps.
package struct MQTTSearch: DeviceSearch {
  package let kind = DiscoveryKind.mqtt
  private let broker: BrokerAddress
  private let isAsked: Bool
  private let timeout: Duration

  /// - Parameters:
  ///   - broker: The broker; the one of this machine if `nil`, whose absence is no problem.
  ///   - timeout: How long it may take to accept, and how long messages are awaited then.
  package init(broker: BrokerAddress?, timeout: Duration) {
    isAsked = broker != nil
    self.broker = broker ?? BrokerAddress(host: "localhost")
    self.timeout = timeout
  }

  static let topics = [
    "tasmota/discovery/+/config", "tele/+/LWT", "+/bridge/devices", "+/online", "+/status/+",
    "shellies/announce", "shellies/+/announce", "shellies/+/+/+", "homeassistant/+/+/config",
    "homeassistant/+/+/+/config",
  ]

  package func result() async -> DiscoveryResult {
    let (broker, timeout) = (broker, timeout)
    let isAsked = isAsked
    return await Discovery.onThread("mqtt-search") {
      do throws(BrokerSearchFailure) {
        let messages = try RetainedMessages.collect(
          from: broker, topics: Self.topics,
          request: (topic: "shellies/command", text: "announce"), timeout: timeout)
        return DiscoveryResult(findings: Self.appliances(in: messages).map { $0.finding(broker) })
      } catch {
        return DiscoveryResult(
          problems: isAsked
            ? ["mqtt: \(error.message)"]
            : ["mqtt: \(error.message); --broker HOST[:PORT] names another"])
      }
    }
  }

  /// Returns the appliances in retained messages, each once. Pure.
  static func appliances(in messages: [String: [UInt8]]) -> [MQTTAppliance] {
    let families =
      FamilyParsers.tasmota(messages) + FamilyParsers.zigbee2MQTT(messages)
      + FamilyParsers.shelly(messages)
    // Topics of the families, whose devices announce themselves to Home Assistant too.
    let bases = Set(
      families.flatMap { appliance in
        (appliance.options["topic"]?.string ?? "").split(separator: "/").suffix(1).map(String.init)
      })
    return families
      + HomeAssistantParser.appliances(messages).filter {
        !HomeAssistantParser.isOfFamily($0, bases: bases)
      }
  }
}
