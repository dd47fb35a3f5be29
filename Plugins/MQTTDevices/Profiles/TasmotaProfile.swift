import JSON

/// The profile of devices with the firmware Tasmota.
struct TasmotaProfile: DeviceProfile {
  let kind: ApplianceKind
  /// The number of the relay, dimmer or shutter, from 1.
  let channel: Int
  let interval: Duration?
  private let command: String
  private let result: String
  private let state: String
  private let sensor: String
  private let will: String
  private let powerTopics: Set<String>

  /// - Parameters:
  ///   - topic: The device's topic.
  ///   - fullTopic: Its FullTopic, with `%prefix%` and `%topic%`.
  init(
    topic: String, fullTopic: String, channel: Int, kind: ApplianceKind, interval: Duration?
  ) {
    self.kind = kind
    self.channel = channel
    self.interval = interval
    let full = { (prefix: String) in
      let path = fullTopic.replacing("%prefix%", with: prefix).replacing("%topic%", with: topic)
      return path.hasSuffix("/") ? path : path + "/"
    }
    command = full("cmnd")
    result = full("stat") + "RESULT"
    state = full("tele") + "STATE"
    sensor = full("tele") + "SENSOR"
    will = full("tele") + "LWT"
    powerTopics = Set(Self.powerKeys(channel).map { full("stat") + $0 })
  }

  var stateTopic: String { result }

  var topics: [String] {
    [will, result, state] + (kind == .cover ? [sensor] : powerTopics.sorted())
  }

  func messages(for request: DeviceRequest) -> [MQTTMessage] {
    switch request {
    case .turn(let isOn, let brightness):
      let power = MQTTMessage("\(command)POWER\(channel)", isOn ? "ON" : "OFF")
      guard let brightness, isOn else { return [power] }
      return [MQTTMessage(command + dimmerKey, "\(brightness)"), power]
    case .turnOn: return messages(for: .turn(true))
    case .move(let end):
      return [MQTTMessage("\(command)Shutter\(end == .up ? "Open" : "Close")\(channel)", "")]
    case .stop: return [MQTTMessage("\(command)ShutterStop\(channel)", "")]
    case .query:
      let query = kind == .cover ? "ShutterPosition\(channel)" : "STATE"
      return [MQTTMessage(command + query, "")]
    }
  }

  func observations(in message: MQTTMessage) -> [Observation] {
    if message.topic == will { return message.word?.isOnlineWord.map { [.online($0)] } ?? [] }
    if powerTopics.contains(message.topic) {
      return (message.word?.isOnWord ?? message.json?.isOn).map { [.power($0)] } ?? []
    }
    guard let json = message.json else { return [] }
    return kind == .cover ? coverObservations(json) : lampObservations(json["StatusSTS"] ?? json)
  }

  private var dimmerKey: String { channel == 1 ? "Dimmer" : "Dimmer\(channel)" }

  /// Returns the possible names of a relay's state. On a device with a single relay, its name has no number.
  private static func powerKeys(_ channel: Int) -> [String] {
    channel == 1 ? ["POWER", "POWER1"] : ["POWER\(channel)"]
  }

  private func lampObservations(_ json: JSON) -> [Observation] {
    var observations: [Observation] = []
    if let isOn = Self.powerKeys(channel).lazy.compactMap({ json[$0]?.isOn }).first {
      observations.append(.power(isOn))
    }
    if let brightness = json[dimmerKey] ?? json["Dimmer\(channel)"] {
      observations.append(.brightness(brightness.percent(of: 100)))
    }
    return observations
  }

  private func coverObservations(_ json: JSON) -> [Observation] {
    guard let shutter = json["Shutter\(channel)"] else { return [] }
    var observations: [Observation] = []
    // Tasmota's position is the open part: 100 is up.
    if let position = shutter["Position"] {
      observations.append(.lowered(position.percent(of: 100).map { 100 - $0 }))
    }
    if let direction = shutter["Direction"]?.integer {
      observations.append(.motion(direction == 0 ? nil : direction > 0 ? .up : .down))
    }
    return observations
  }
}
