import Devices
import JSON

/// The profile of Shelly devices of the second generation and later: RPC over MQTT.
struct ShellyProfile: DeviceProfile {
  let kind: ApplianceKind
  let channel: Int
  let fade: Duration?
  let interval: Duration?
  var fadeTime: Duration { kind == .dimmer ? fade ?? .zero : .zero }
  private let prefix: String
  private let replies: String
  /// The key of the component in messages: `switch:0`, for example.
  private let component: String

  /// - Parameters:
  ///   - topic: The MQTT prefix of the device.
  ///   - replies: The prefix of the topic for replies, which only this device uses.
  init(
    topic: String, replies: String, channel: Int, kind: ApplianceKind, fade: Duration?,
    interval: Duration?
  ) {
    prefix = topic
    self.replies = replies
    self.kind = kind
    self.channel = channel
    self.fade = fade
    self.interval = interval
    component = "\(Self.name(of: kind).lowercased()):\(channel)"
  }

  var stateTopic: String { "\(prefix)/events/rpc" }

  var topics: [String] {
    ["\(prefix)/online", "\(replies)/rpc", stateTopic, "\(prefix)/status/\(component)"]
  }

  func messages(for request: DeviceRequest) -> [MQTTMessage] {
    let name = Self.name(of: kind)
    var params: JSONObject = ["id": .integer(channel)]
    let method: String
    switch request {
    case .turn(let isOn, let brightness):
      method = "\(name).Set"
      params["on"] = .bool(isOn)
      if let brightness, isOn { params["brightness"] = .integer(brightness) }
      if let fade, kind == .dimmer { params["transition_duration"] = .number(fade.seconds) }
    case .turnOn(let time):
      method = "\(name).Set"
      params["on"] = true
      // The device then turns itself off, even if it loses its network meanwhile.
      params["toggle_after"] = .number(time.seconds)
    case .move(let end): method = "Cover.\(end == .up ? "Open" : "Close")"
    case .stop: method = "Cover.Stop"
    case .query: method = "\(name).GetStatus"
    }
    let call: JSON = [
      "id": 1, "src": .string(replies), "method": .string(method), "params": .object(params),
    ]
    return [MQTTMessage("\(prefix)/rpc", call)]
  }

  func observations(in message: MQTTMessage) -> [Observation] {
    if message.topic == "\(prefix)/online" {
      return message.word?.isOnlineWord.map { [.online($0)] } ?? []
    }
    guard let json = message.json else { return [] }
    if message.topic == stateTopic {
      // A change of another component yields no observation, but shows that the device works.
      return json["params"]?[component].map { statusObservations($0) } ?? []
    }
    if message.topic == "\(replies)/rpc" {
      if let error = json["error"]?["message"]?.string {
        return [.refused(error.quotation)]
      }
      return json["result"].map { statusObservations($0) } ?? []
    }
    return statusObservations(json)
  }

  private static func name(of kind: ApplianceKind) -> String {
    switch kind {
    case .plug: "Switch"
    case .dimmer: "Light"
    case .cover: "Cover"
    }
  }

  private func statusObservations(_ json: JSON) -> [Observation] {
    var observations: [Observation] = []
    if kind == .cover { return coverObservations(json) }
    if let isOn = json["output"]?.isOn { observations.append(.power(isOn)) }
    if let brightness = json["brightness"] {
      observations.append(.brightness(brightness.percent(of: 100)))
    }
    return observations
  }

  private func coverObservations(_ json: JSON) -> [Observation] {
    var observations: [Observation] = []
    let position = json["current_pos"]
    let open = position?.percent(of: 100)
    if position != nil { observations.append(.lowered(open.map { 100 - $0 })) }
    let state = json["state"]?.string
    if let end = state?.coverEnd {
      if open == nil { observations.append(.end(end)) }
      observations.append(.motion(nil))
    } else if let motion = state?.coverMotion {
      observations.append(.motion(motion))
    }
    return observations
  }
}

/// The profile of Shelly devices of the first generation.
struct ShellyGeneration1Profile: DeviceProfile {
  let kind: ApplianceKind
  let interval: Duration?
  private let prefix: String
  /// The topic of the component: `shellies/shelly1-B929CC/relay/0`, for example.
  private let component: String

  /// - Parameter topic: The id of the device, such as `shelly1-B929CC`.
  init(topic: String, channel: Int, kind: ApplianceKind, interval: Duration?) {
    prefix = "shellies/\(topic)"
    self.kind = kind
    self.interval = interval
    let name = kind == .plug ? "relay" : kind == .dimmer ? "light" : "roller"
    component = "\(prefix)/\(name)/\(channel)"
  }

  var stateTopic: String { kind == .dimmer ? "\(component)/status" : component }

  var topics: [String] {
    switch kind {
    case .plug: ["\(prefix)/online", component]
    case .dimmer: ["\(prefix)/online", stateTopic]
    case .cover: ["\(prefix)/online", "\(component)/pos", component]
    }
  }

  func messages(for request: DeviceRequest) -> [MQTTMessage] {
    switch request {
    case .turn(let isOn, let brightness):
      guard kind == .dimmer else {
        return [MQTTMessage("\(component)/command", isOn ? "on" : "off")]
      }
      var payload: JSONObject = ["turn": isOn ? "on" : "off"]
      if let brightness, isOn { payload["brightness"] = .integer(brightness) }
      return [MQTTMessage("\(component)/set", .object(payload))]
    case .turnOn: return messages(for: .turn(true))
    case .move(let end): return [MQTTMessage("\(component)/command", end == .up ? "open" : "close")]
    case .stop: return [MQTTMessage("\(component)/command", "stop")]
    case .query: return [MQTTMessage("\(prefix)/command", "update")]
    }
  }

  func observations(in message: MQTTMessage) -> [Observation] {
    if message.topic == "\(prefix)/online" {
      return message.word?.isOnlineWord.map { [.online($0)] } ?? []
    }
    switch kind {
    case .plug:
      // After "overpower" the relay has turned itself off.
      if message.word?.plainWord == "overpower" { return [.power(false)] }
      return message.word?.isOnWord.map { [.power($0)] } ?? []
    case .dimmer:
      guard let json = message.json else { return [] }
      var observations: [Observation] = []
      if let isOn = json["ison"]?.isOn { observations.append(.power(isOn)) }
      if let brightness = json["brightness"] {
        observations.append(.brightness(brightness.percent(of: 100)))
      }
      return observations
    case .cover:
      if message.topic.hasSuffix("/pos") {
        guard let position = message.word.map({ JSON.string($0) }),
          position.reportedNumber != nil
        else { return [] }
        return [.lowered(position.percent(of: 100).map { 100 - $0 })]
      }
      switch message.word?.plainWord {
      case "open": return [.motion(.up)]
      case "close": return [.motion(.down)]
      case "stop": return [.motion(nil)]
      default: return []
      }
    }
  }
}
