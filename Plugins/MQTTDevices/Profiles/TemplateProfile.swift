import Devices
import JSON

/// The profile of a device whose topics and payloads the options define.
struct TemplateProfile: DeviceProfile {
  /// The name of a command in the options.
  enum Name: String, CaseIterable, Sendable {
    case on, off, dim, up, down, stop, query
  }

  /// A message with placeholders in its payload.
  struct Command: Sendable {
    let topic: String
    let payload: String
  }

  /// A value in the messages of a topic.
  struct Source: Sendable {
    let topic: String
    /// The position of the value in a JSON payload; nil if the payload is the value.
    let pointer: JSONPointer?

    /// Returns the value in a message; nil for another topic, or if the pointer finds nothing.
    func value(in message: MQTTMessage) -> JSON? {
      guard message.topic == topic else { return nil }
      guard let pointer else { return message.word.map { .string($0) } }
      return message.json.flatMap { pointer.value(in: $0) }
    }

    /// Returns the words to compare with the words of the options; none if the message has no
    /// value. The first word is the value as the device writes it. If the whole payload is a
    /// number, its shortest form follows, because a device may write 1 as "1.0".
    func words(in message: MQTTMessage) -> [String] {
      guard let value = self.value(in: message) else { return [] }
      guard let word = value.string else { return [value.text()] }
      guard pointer == nil, let number = Double(word), number.isFinite else { return [word] }
      return [word, JSON.number(number).text()]
    }
  }

  /// A source, and the meaning of each word that it can have.
  struct Words<Meaning: Sendable>: Sendable {
    let source: Source
    let meanings: [String: Meaning]
    /// Returns the usual meaning of a value that is none of the words.
    let usualMeaning: @Sendable (JSON) -> Meaning?

    /// Returns the meaning of the first known word in a message; nil if there is none. A word that only differs in its
    /// case or in blanks at its ends is known, too.
    func meaning(in message: MQTTMessage) -> Meaning? {
      let words = source.words(in: message)
      for word in words {
        if let meaning = meanings[word] { return meaning }
      }
      for word in words {
        let same = meanings.filter { $0.key.plainWord == word.plainWord }
        if same.count == 1, let meaning = same.values.first { return meaning }
      }
      return source.value(in: message).flatMap(usualMeaning)
    }
  }

  /// A source of the position: a number in a range whose limits are the ends, or the word of an end.
  struct Position: Sendable {
    let source: Source
    let up: String
    let down: String

    /// Returns the observation of the position; nil if the message has no position.
    func observation(in message: MQTTMessage) -> Observation? {
      for word in source.words(in: message) {
        if word == up { return .lowered(0) }
        if word == down { return .lowered(100) }
      }
      guard let value = source.value(in: message) else { return nil }
      guard let number = value.reportedNumber else {
        if value.isNull { return .lowered(nil) }
        return value.string?.coverEnd.map { .end($0) }
      }
      guard let up = Double(up), let down = Double(down), up != down else { return nil }
      return .lowered(JSON.number((number - up) / (down - up)).percent(of: 1))
    }
  }

  let kind: ApplianceKind
  let fade: Duration
  let interval: Duration?
  /// The number that stands for 100 % brightness in the device's own scale.
  let brightest: Double
  let commands: [Name: Command]
  let power: Words<Bool>?
  let brightness: Source?
  let position: Position?
  let motion: Words<CoverEnd?>?
  let availability: Words<Bool>?

  var fadeTime: Duration { kind == .dimmer && sendsFade ? fade : .zero }
  /// Whether the message for a brightness has a placeholder for the duration of the change.
  private var sendsFade: Bool { commands[.dim]?.payload.contains("{fade}") == true }

  var reportsState: Bool { kind == .cover ? position != nil : power != nil }

  private var sources: [Source] {
    [
      availability?.source, power?.source, brightness, position?.source, motion?.source,
    ].compactMap(\.self)
  }

  var topics: [String] {
    sources.map(\.topic).reduce(into: []) { topics, topic in
      if !topics.contains(topic) { topics.append(topic) }
    }
  }

  var stateTopic: String {
    (kind == .cover ? position?.source.topic : power?.source.topic) ?? "(none)"
  }

  func supports(_ request: DeviceRequest) -> Bool { !messages(for: request).isEmpty }

  func messages(for request: DeviceRequest) -> [MQTTMessage] {
    switch request {
    case .turn(false, _): message(.off)
    case .turn(true, let brightness?): message(.dim, brightness: brightness)
    case .turn(true, nil), .turnOn: message(.on)
    case .move(.up): message(.up)
    case .move(.down): message(.down)
    case .stop: message(.stop)
    case .query: message(.query)
    }
  }

  private func message(_ name: Name, brightness: Int = 0) -> [MQTTMessage] {
    guard let command = commands[name] else { return [] }
    let level = level(of: brightness)
    let payload = command.payload.replacing("{brightness}", with: "\(level)")
      .replacing("{fade}", with: JSON.number(fade.seconds).text())
    return [MQTTMessage(command.topic, payload)]
  }

  /// Converts 0 to 100 % to the device's own scale. A brightness above 0 is at least 1, because 0 turns lights off.
  private func level(of brightness: Int) -> Int {
    let level = Int((Double(brightness) * brightest / 100).rounded())
    return brightness > 0 ? max(1, level) : level
  }

  func reportedBrightness(for brightness: Int) -> Int {
    JSON.integer(level(of: brightness)).percent(of: brightest) ?? brightness
  }

  func observations(in message: MQTTMessage) -> [Observation] {
    var observations: [Observation] = []
    if let isOnline = availability?.meaning(in: message) { observations.append(.online(isOnline)) }
    if let isOn = power?.meaning(in: message) { observations.append(.power(isOn)) }
    if let level = brightness?.value(in: message) {
      observations.append(.brightness(level.percent(of: brightest)))
    }
    if let position = position?.observation(in: message) { observations.append(position) }
    if let motion = motion?.meaning(in: message) { observations.append(.motion(motion)) }
    return observations
  }
}
