import Devices
import JSON

/// The profile of Zigbee devices behind Zigbee2MQTT.
struct Zigbee2MQTTProfile: DeviceProfile {
  /// The value of 100 % brightness in Zigbee's scale.
  private static let brightest = 254

  let kind: ApplianceKind
  /// The duration of a change of brightness; nil for the device's own setting.
  let fade: Duration?
  let interval: Duration?
  let stateTopic: String
  private let availability: String
  private let bridge: String
  private let suffix: String

  /// - Parameters:
  ///   - topic: The device's friendly name.
  ///   - base: The base topic of Zigbee2MQTT.
  ///   - endpoint: The name of one endpoint of a device with several, such as `l1` or `left`.
  init(
    topic: String, base: String, endpoint: String?, kind: ApplianceKind, fade: Duration?,
    interval: Duration?
  ) {
    self.kind = kind
    self.fade = fade
    self.interval = interval
    stateTopic = "\(base)/\(topic)"
    availability = "\(base)/\(topic)/availability"
    bridge = "\(base)/bridge/state"
    suffix = endpoint.map { "_" + $0 } ?? ""
  }

  var topics: [String] { [bridge, availability, stateTopic] }

  func messages(for request: DeviceRequest) -> [MQTTMessage] {
    var payload = JSONObject()
    var verb = "set"
    switch request {
    case .turn(let isOn, let brightness):
      payload["state" + suffix] = isOn ? "ON" : "OFF"
      if let brightness, isOn {
        payload["brightness" + suffix] = .integer(
          Int((Double(brightness * Self.brightest) / 100).rounded()))
      }
      if let fade, kind == .dimmer { payload["transition"] = .number(fade.seconds) }
    case .turnOn: return messages(for: .turn(true))
    case .move(let end): payload["state" + suffix] = end == .up ? "OPEN" : "CLOSE"
    case .stop: payload["state" + suffix] = "STOP"
    case .query:
      verb = "get"
      payload["state" + suffix] = ""
    }
    return [MQTTMessage("\(stateTopic)/\(verb)", .object(payload))]
  }

  func observations(in message: MQTTMessage) -> [Observation] {
    if message.topic == availability || message.topic == bridge {
      // Older versions send the word alone instead of JSON.
      switch message.json?["state"]?.string ?? message.word {
      case "online": return [.online(true)]
      case "offline": return [.online(false)]
      default: return []
      }
    }
    guard let json = message.json else { return [] }
    return kind == .cover ? coverObservations(json) : lampObservations(json)
  }

  private func lampObservations(_ json: JSON) -> [Observation] {
    var observations: [Observation] = []
    if let level = json["brightness" + suffix]?.number, level > 0 {
      let percent = Int((min(level / Double(Self.brightest), 1) * 100).rounded())
      observations.append(.brightness(max(1, percent)))
    }
    if let isOn = json["state" + suffix]?.isOn { observations.append(.power(isOn)) }
    return observations
  }

  private func coverObservations(_ json: JSON) -> [Observation] {
    var observations: [Observation] = []
    let state = json["state" + suffix]?.string
    if let open = json["position" + suffix]?.percent(of: 100) {
      observations.append(.lowered(100 - open))
    } else if state == "OPEN" || state == "CLOSE" {
      // Without a position, the state is the target of the last command.
      observations.append(.lowered(state == "OPEN" ? 0 : 100))
    }
    switch json["moving" + suffix]?.string {
    case "UP": observations.append(.motion(.up))
    case "DOWN": observations.append(.motion(.down))
    case "STOP": observations.append(.motion(nil))
    default: if state == "STOP" { observations.append(.motion(nil)) }
    }
    return observations
  }
}
