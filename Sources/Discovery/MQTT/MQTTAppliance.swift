import Devices
import JSON
import MQTTClient

/// Bounds of texts in topics and payloads.
enum MQTTText {
  /// The text as a topic for publishing; `nil` if it cannot be one.
  static func topic(_ text: String?) -> String? {
    guard let text, (1...MQTTSession.longestTopic).contains(text.utf8.count), text.isStreamSafe,
      !text.utf8.contains(where: { $0 < 32 || $0 == 0x7F || $0 == 0x23 || $0 == 0x2B })
    else { return nil }
    return text
  }
}

/// A light, plug or cover behind a broker, with the options of the plugin `MQTTDevices` that control it.
struct MQTTAppliance: Hashable {
  /// The raw value is the word in titles and keys.
  enum Kind: String { case plug, dimmer = "light", cover }

  let kind: Kind
  /// `tasmota`, `zigbee2mqtt`, `shelly` or `template`.
  let profile: String
  /// The part of the finding's id that tells it from others of its profile.
  var key: String
  let title: String
  /// Profile, topic and what else the profile needs.
  let options: JSONObject
  var notes: [String] = []

  /// The finding for a broker, whose password is the secret with this name.
  func finding(_ broker: BrokerAddress, secret: String = "mqtt") -> DiscoveryFinding {
    var place: JSONObject = ["host": .string(broker.host)]
    if broker.port != BrokerAddress.defaultPort(broker.tls) {
      place["port"] = .integer(broker.port)
    }
    if let tls = broker.tls {
      place["tls"] = true
      place["caFile"] = tls.caFile.map { .string($0) }
    }
    if let user = broker.user {
      place["user"] = .string(user)
      place["password"] = ["secret": .string(secret)]
    }
    var all: JSONObject = ["broker": .object(place), "profile": .string(profile)]
    for (name, value) in options { all[name] = value }
    let (roles, further): ([Role], [Role: JSONObject]) =
      switch kind {
      case .dimmer: ([.lights], [:])
      case .cover: ([.screen], [:])
      case .plug:
        (
          [.popcornPopper, .lights, .projector, .amplifier] + (isScreen ? [.screen] : []),
          [.lights: ["dimmer": false], .screen: ["drive": "switch"]]
        )
      }
    return DiscoveryFinding(
      .mqtt, id: "mqtt:\(profile):\(key)", title: "\(title), a \(kind.rawValue) (\(profile))",
      place: "broker \(broker.hostAndPort)", roles: roles, plugin: "MQTTDevices", options: all,
      optionsOfRoles: further, notes: notes)
  }

  /// The topic below which its device takes commands; `nil` for a template.
  var commandBase: String? {
    guard let topic = options["topic"]?.string else { return nil }
    switch profile {
    case "tasmota":
      let full = (options["fullTopic"]?.string ?? "%prefix%/%topic%/")
        .replacing("%prefix%", with: "cmnd").replacing("%topic%", with: topic)
      return full.hasSuffix("/") ? String(full.dropLast()) : full
    case "zigbee2mqtt": return "\(options["baseTopic"]?.string ?? "zigbee2mqtt")/\(topic)"
    case "shelly": return options["generation"] == 1 ? "shellies/\(topic)" : topic
    default: return nil
    }
  }

  /// Whether a plug can be a screen. One with a template cannot: it has the commands on and off, not up and down.
  private var isScreen: Bool { profile != "template" }
}
