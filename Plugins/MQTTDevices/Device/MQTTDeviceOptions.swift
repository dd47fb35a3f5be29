import Devices
import JSON
import MQTTClient
import PluginKit

/// The validated options of a device.
struct MQTTDeviceOptions: Sendable {
  enum ProfileName: String, CaseIterable, Sendable {
    case tasmota, zigbee2mqtt, shelly, template
  }

  let broker: BrokerOptions
  let profile: any DeviceProfile
  /// The longest wait until the device confirms a command, 1 to 9 s.
  let timeout: Duration
  let appliance: any ApplianceModel

  /// - Parameters:
  ///   - commands: The command type of the device's role.
  ///   - replies: The prefix of the topic for replies, which only this device uses. Only some profiles need it.
  /// - Throws: `invalid` with the name of the wrong option.
  init(
    _ json: JSON, for commands: any GoalCommand.Type, replies: String
  ) throws(DeviceError) {
    let reader = OptionReader(
      json, hint: "Correct it in the device's options; see docs/mqtt-devices.md.")
    guard reader.has("broker") else { throw reader.error("broker", "is missing") }
    broker = try BrokerOptions(try reader.members("broker"))
    timeout = .seconds(try reader.number("timeout", in: 1...9, or: 5))
    let options = try commands.applianceOptions(from: reader)
    profile = try Self.profile(reader, kind: options.kind, replies: replies)
    appliance = options.model(profile)
  }

  private static func profile(
    _ reader: OptionReader, kind: ApplianceKind, replies: String
  ) throws(DeviceError) -> any DeviceProfile {
    let profile = try makeProfile(reader, kind: kind, replies: replies)
    // Messages with longer topics would be dropped.
    if let long = profile.topics.first(where: { $0.utf8.count > MQTTSession.longestTopic }) {
      throw reader.error(
        "topic",
        "makes the topic \"\(long.boundedLine(maximumBytes: 60))\" of \(long.utf8.count) bytes; at most "
          + "\(MQTTSession.longestTopic) are allowed, so shorten it, \"fullTopic\" or \"baseTopic\""
      )
    }
    return profile
  }

  private static func makeProfile(
    _ reader: OptionReader, kind: ApplianceKind, replies: String
  ) throws(DeviceError) -> any DeviceProfile {
    let name: ProfileName = try reader.choice("profile", or: .template)
    guard reader.has("profile") else { throw reader.error("profile", "is missing") }
    let fade: Duration? =
      reader.has("fade") ? .seconds(try reader.number("fade", in: 0...60, or: 0)) : nil
    let interval: Duration? =
      reader.has("interval")
      ? .seconds(try reader.number("interval", in: 0...86_400, or: 0)) : nil
    let given = interval == .zero ? nil : interval
    switch name {
    case .tasmota:
      let full = try reader.topic(reader.text("fullTopic") ?? "%prefix%/%topic%/", "fullTopic")
      guard full.contains("%prefix%"), full.contains("%topic%") else {
        throw reader.error("fullTopic", "lacks %prefix% or %topic%")
      }
      return TasmotaProfile(
        topic: try reader.topic("topic"), fullTopic: full,
        channel: try channel(reader, in: 1...32), kind: kind,
        interval: interval == nil ? .seconds(300) : given)
    case .zigbee2mqtt:
      var endpoint = try reader.text("endpoint")
      if let given = endpoint { endpoint = try reader.topic(given, "endpoint") }
      return Zigbee2MQTTProfile(
        topic: try reader.topic("topic"),
        base: try reader.topic(reader.text("baseTopic") ?? "zigbee2mqtt", "baseTopic"),
        endpoint: endpoint, kind: kind,
        fade: fade, interval: given)
    case .shelly:
      let channel = try channel(reader, in: 0...31)
      if try reader.integer("generation", in: 1...9) == 1 {
        return ShellyGeneration1Profile(
          topic: try reader.topic("topic"), channel: channel, kind: kind,
          interval: interval == nil ? .seconds(60) : given)
      }
      return ShellyProfile(
        topic: try reader.topic("topic"), replies: replies, channel: channel, kind: kind,
        fade: fade, interval: interval == nil ? .seconds(60) : given)
    case .template:
      guard let template = try reader.object("template") else {
        throw reader.error("template", "is missing for the profile \"template\"")
      }
      let profile = try TemplateProfile(
        template, kind: kind, fade: fade ?? .zero, interval: given)
      guard given == nil || profile.reportsState else {
        throw reader.error(
          "interval",
          "needs \"template.state.power\", or \"template.state.position\" for a motor: without it the "
            + "device reports nothing, so its silence means nothing")
      }
      return profile
    }
  }

  private static func channel(
    _ reader: OptionReader, in range: ClosedRange<Int>
  ) throws(DeviceError) -> Int {
    try reader.integer("channel", in: range) ?? range.lowerBound
  }
}

extension TemplateProfile {
  /// Reads and validates the option `template`.
  ///
  /// - Throws: `invalid` with the path of the wrong option.
  init(
    _ reader: OptionReader, kind: ApplianceKind, fade: Duration, interval: Duration?
  ) throws(DeviceError) {
    self.kind = kind
    self.fade = fade
    self.interval = interval
    brightest = try reader.number("brightest", in: 1...65_535, or: 100)
    let commands = try reader.members("commands")
    let needed: [Name] =
      switch kind {
      case .plug: [.on, .off]
      case .dimmer: [.off, .dim]
      case .cover: [.up, .down]
      }
    for name in needed where !commands.has(name.rawValue) {
      throw commands.error(name.rawValue, "is missing")
    }
    self.commands = try Self.commands(commands)
    let state = try reader.members("state")
    power = try state.words(
      "power", ["on": true, "off": false], ["on": "ON", "off": "OFF"]
    ) { $0.isOn }
    brightness = try state.source("brightness")
    position = try state.position("position")
    motion = try state.words(
      "motion", ["up": .up, "down": .down, "still": nil],
      ["up": "opening", "down": "closing", "still": "stopped"]
    ) { $0.string?.coverMotion }
    availability = try reader.words(
      "availability", ["online": true, "offline": false],
      ["online": "online", "offline": "offline"]
    ) { $0.isOnline }
    if kind == .dimmer, power != nil, brightness == nil {
      throw state.error(
        "brightness", "is missing; set \"dimmer\": false for lights without one")
    }
  }

  private static func commands(_ reader: OptionReader) throws(DeviceError) -> [Name: Command] {
    var commands: [Name: Command] = [:]
    for name in Name.allCases {
      guard let command = try reader.object(name.rawValue) else { continue }
      let payload = try command.text("payload") ?? ""
      if let word = placeholders(in: payload).first(where: { !["brightness", "fade"].contains($0) })
      {
        throw command.error(
          "payload", "has the unknown placeholder {\(word)}; there are {brightness} and {fade}")
      }
      if name == .dim, !payload.contains("{brightness}") {
        throw command.error("payload", "lacks the placeholder {brightness}")
      }
      commands[name] = Command(topic: try command.topic("topic"), payload: payload)
    }
    return commands
  }

  /// Returns the placeholders: the words in braces. The braces of a JSON object are not
  /// placeholders, because they do not enclose a single word.
  private static func placeholders(in payload: String) -> [String] {
    payload.split(separator: "{").dropFirst(payload.hasPrefix("{") ? 0 : 1).compactMap { part in
      let word = part.prefix { $0.isASCII && $0.isLetter }
      return !word.isEmpty && part.dropFirst(word.count).first == "}" ? String(word) : nil
    }
  }
}

extension OptionReader {
  fileprivate func source(_ key: String) throws(DeviceError) -> TemplateProfile.Source? {
    guard let object = try object(key) else { return nil }
    return try object.source()
  }

  /// Reads the topic of a value, and its JSON pointer if there is one.
  private func source() throws(DeviceError) -> TemplateProfile.Source {
    var pointer: JSONPointer?
    if let text = try text("pointer") {
      pointer = JSONPointer(text)
      guard pointer != nil else {
        throw error("pointer", "is no JSON pointer, such as \"/state\"")
      }
    }
    return TemplateProfile.Source(topic: try topic("topic"), pointer: pointer)
  }

  /// Reads a source and the meaning of each of its words. The options may replace the default words
  /// in `fallbacks`.
  ///
  /// - Parameter usualMeaning: Returns the usual meaning of a value that is none of the words.
  /// - Throws: `invalid` if two values have the same word.
  fileprivate func words<Meaning>(
    _ key: String, _ meanings: [String: Meaning], _ fallbacks: [String: String],
    usualMeaning: @escaping @Sendable (JSON) -> Meaning?
  ) throws(DeviceError) -> TemplateProfile.Words<Meaning>? {
    guard let object = try object(key) else { return nil }
    var words: [String: Meaning] = [:]
    for (name, meaning) in meanings.sorted(by: { $0.key < $1.key }) {
      let word = try object.text(name) ?? fallbacks[name] ?? name
      guard words.index(forKey: word) == nil else {
        throw object.error(name, "is the word of another value")
      }
      words.updateValue(meaning, forKey: word)
    }
    return TemplateProfile.Words(
      source: try object.source(), meanings: words, usualMeaning: usualMeaning)
  }

  /// Reads the source of a position; without the options `up` and `down`, 100 is up and 0 is down.
  fileprivate func position(_ key: String) throws(DeviceError) -> TemplateProfile.Position? {
    guard let object = try object(key) else { return nil }
    let (up, down) = (try object.text("up") ?? "100", try object.text("down") ?? "0")
    guard up != down else { throw object.error("up", "and \"down\" are the same") }
    return TemplateProfile.Position(source: try object.source(), up: up, down: down)
  }
}
