// Also compiled by Scripts/fuzz, in one module with the searches.
import JSON
import MQTTClient

#if canImport(Discovery)
  import TestSupport

  @testable import Discovery
#endif

private let topics = [
  "tasmota/discovery/AABBCCDDEEFF/config", "tele/plug/LWT", "zigbee2mqtt/bridge/devices",
  "x/bridge/devices",
  "shellyplus1-a8032ab12345/online", "shellyplus1-a8032ab12345/status/switch:0",
  "shellyplus1-a8032ab12345/status/cover:1", "shellies/announce",
  "shellies/shelly1-B929CC/announce",
  "shellies/shellydimmer-B929CC/light/0", "homeassistant/light/lamp/config",
  "homeassistant/cover/node/screen/config",
  "homeassistant/switch/plug/config", "homeassistant/device/box/config",
]

/// Reads the retained messages of a broker, and the answer of a projector, that a fuzzer made. Traps if a finding is
/// out of its bounds.
///
/// Each line is a message; its first byte chooses the topic.
func parse(fuzzed bytes: [UInt8]) {
  var messages: [String: [UInt8]] = [:]
  for line in bytes.split(separator: 0x0A).prefix(32) {
    var input = FuzzedInput(Array(line))
    messages[input.choose(topics)] = Array(input.rest)
  }
  let text = String(decoding: bytes.prefix(300), as: UTF8.self)
  let broker = BrokerAddress(text)
  if let broker { precondition(BrokerAddress(broker.hostAndPort) == broker) }
  let appliances = MQTTSearch.appliances(in: messages)
  for appliance in appliances {
    check(appliance)
    check(appliance.finding(broker ?? BrokerAddress(host: "localhost")))
  }
  let ids = appliances.map { Array("\($0.profile):\($0.key)".utf8) }
  precondition(Set(ids).count == ids.count, "two findings with one id")
  if PJLinkSearch.isAnswer(bytes) { precondition(bytes.count <= 32) }
}

private func check(_ appliance: MQTTAppliance) {
  guard let topic = appliance.options["topic"]?.string else {
    precondition(appliance.profile == "template")
    return
  }
  precondition(MQTTText.topic(topic) == topic)
  precondition(appliance.commandBase?.isEmpty == false)
}

private func check(_ finding: DiscoveryFinding) {
  precondition(!finding.id.isEmpty && finding.id.utf8.count <= 600)
  precondition(finding.title.utf8.count <= DiscoveryFinding.longestText)
  for text in [finding.id, finding.title] + finding.notes {
    precondition(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F })
  }
  for role in finding.roles {
    let entry = JSON.object(finding.entry(for: role))
    precondition((try? JSON(parsing: Array(entry.text().utf8))) == entry)
  }
}
