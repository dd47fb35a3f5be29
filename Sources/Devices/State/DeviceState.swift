import JSON

/// A value with its provenance and time.
public struct Reading: Sendable, Hashable {
  /// The value, as the role's table defines it for its key.
  public let value: JSON
  /// How the value is known.
  public let provenance: Provenance
  /// When it was last reported, on the controller's monotonic clock.
  public let time: Duration

  public init(_ value: JSON, provenance: Provenance = .reported, time: Duration) {
    self.value = value
    self.provenance = provenance
    self.time = time
  }
}

/// A value that a device reports beyond the keys of its role: lamp hours, the open PCM.
public struct Attribute: Sendable, Hashable {
  /// The value; a text is one line.
  public let value: JSON
  /// The unit for people: `h`, `°C`.
  public let unit: String?
  /// The name for people: `Lamp`.
  public let label: String?

  public init(_ value: JSON, unit: String? = nil, label: String? = nil) {
    self.value = value
    self.unit = unit
    self.label = label
  }
}

/// The known state of a device.
public struct DeviceState: Sendable, Hashable {
  /// The newest reading of each key that was reported or assumed.
  public private(set) var readings: [StateKey: Reading]
  /// The attributes by name; a plugin's device has at most 64, with 16 KiB together.
  public var attributes: [String: Attribute]

  /// A device of which nothing is known yet.
  public init(readings: [StateKey: Reading] = [:], attributes: [String: Attribute] = [:]) {
    self.readings = readings
    self.attributes = attributes
  }

  /// The value of a key; `nil` if it is not known.
  public subscript(key: StateKey) -> JSON? {
    guard let reading = readings[key], reading.provenance != .unknown else { return nil }
    return reading.value
  }

  /// Replaces the reading of a key.
  public mutating func update(_ reading: Reading, for key: StateKey) { readings[key] = reading }

  /// Marks every value as unknown after contact is lost; the last values stay visible with their age.
  public mutating func markUnknown() {
    readings = readings.mapValues { Reading($0.value, provenance: .unknown, time: $0.time) }
  }

  /// `.unknown` if nothing was reported.
  public var power: Power { self[.power]?.string.flatMap(Power.init) ?? .unknown }
  /// 0 to 100 %; `nil` if unknown.
  public var volume: Int? { self[.volume]?.integer }
  /// The name of the selected input; `nil` if unknown, or if none is selected.
  public var input: String? { self[.input]?.string }
  /// `nil` if unknown.
  public var isMuted: Bool? { self[.muted]?.bool }
  /// 0 to 100 %; `nil` if unknown.
  public var brightness: Int? { self[.brightness]?.integer }
  /// `nil` if unknown, and for roles without playback.
  public var playback: Playback? { self[.playback].flatMap(Playback.init) }
}

extension DeviceState {
  /// The state for the API: `{"power": {"value": "on", "provenance": "reported", "age": 2.5}}`.
  ///
  /// - Parameter now: The controller's monotonic time, for the ages (seconds).
  public func json(now: Duration) -> JSON {
    var keys = JSONObject()
    for key in StateKey.allCases {
      guard let reading = readings[key] else { continue }
      keys[key.rawValue] = [
        "value": reading.value, "provenance": .string(reading.provenance.rawValue),
        "age": .number(((now - reading.time).seconds * 1000).rounded() / 1000),
      ]
    }
    return .object(keys)
  }

  /// The attributes for the API: `{"lampHours": {"value": 12, "unit": "h", "label": "Lamp"}}`.
  public var attributesJSON: JSON {
    var object = JSONObject()
    for (name, attribute) in attributes.sorted(by: { $0.key < $1.key }) {
      var members: JSONObject = ["value": attribute.value]
      if let unit = attribute.unit { members["unit"] = .string(unit) }
      if let label = attribute.label { members["label"] = .string(label) }
      object[name] = .object(members)
    }
    return .object(object)
  }
}

extension Duration {
  /// This time in seconds.
  public var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
