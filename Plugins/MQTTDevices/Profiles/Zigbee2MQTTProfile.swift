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
  var fadeTime: Duration { fade ?? .zero }
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
      let isOnline = message.json?.isOnline ?? message.word?.isOnlineWord
      return isOnline.map { [.online($0)] } ?? []
    }
    guard let json = message.json else { return [] }
    return kind == .cover ? coverObservations(json) : lampObservations(json)
  }

  private func lampObservations(_ json: JSON) -> [Observation] {
    var observations: [Observation] = []
    if let isOn = json["state" + suffix]?.isOn { observations.append(.power(isOn)) }
    if let level = json["brightness" + suffix], level.reportedNumber != 0 {
      observations.append(
        .brightness(level.percent(of: Double(Self.brightest)).map { max(1, $0) }))
    }
    return observations
  }

  private func coverObservations(_ json: JSON) -> [Observation] {
    var observations: [Observation] = []
    let state = json["state" + suffix]?.string
    let position = json["position" + suffix]
    let open = position?.percent(of: 100)
    if position != nil { observations.append(.lowered(open.map { 100 - $0 })) }
    // Without a position, the state is the target of the last command.
    if open == nil, let end = state?.coverEnd { observations.append(.end(end)) }
    if let motion = json["moving" + suffix]?.string?.coverMotion {
      observations.append(.motion(motion))
    } else if case .some(nil) = state?.coverMotion {
      observations.append(.motion(nil))
    }
    return observations
  }
}
