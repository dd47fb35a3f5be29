import Devices
import JSON

/// A message without an answer, in either direction.
public protocol PluginNotification: Sendable {
  /// The JSON-RPC method.
  static var method: String { get }
  /// The message's params.
  var params: JSON { get }
  /// Reads the params; `nil` when a required member is missing or of the wrong kind.
  init?(params: JSON)
}

/// Controller to plugin: the request with this id is not wanted any more. It is still answered.
public struct CancelNotification: PluginNotification {
  public static let method = "cancel"
  /// The id of the request to cancel.
  public let id: Int

  public init(id: Int) { self.id = id }
  public var params: JSON { ["id": .integer(id)] }
  public init?(params: JSON) {
    guard let id = params["id"]?.integer else { return nil }
    self.init(id: id)
  }
}

/// Plugin to controller: the current state of a device. Keys that are left out are unchanged.
public struct StateNotification: PluginNotification {
  public static let method = "state"
  /// The device whose values or attributes have changed.
  public let device: DeviceID
  /// The changed values; keys that are left out are unchanged.
  public let values: [StateKey: JSON]
  /// How all of these values are known.
  public let provenance: Provenance
  /// Changed attributes, by name.
  public let attributes: [String: Attribute]

  public init(
    device: DeviceID, values: [StateKey: JSON], provenance: Provenance = .reported,
    attributes: [String: Attribute] = [:]
  ) {
    self.device = device
    self.values = values
    self.provenance = provenance
    self.attributes = attributes
  }

  public var params: JSON {
    var object: JSONObject = ["device": .string(device.name)]
    if !values.isEmpty {
      var state: JSONObject = [:]
      for (key, value) in values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        state[key.rawValue] = value
      }
      object["state"] = .object(state)
    }
    if provenance != .reported { object["provenance"] = .string(provenance.rawValue) }
    if !attributes.isEmpty {
      object["attributes"] = DeviceState(attributes: attributes).attributesJSON
    }
    return .object(object)
  }

  /// Keys that this version does not know are ignored.
  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    let state = params["state"]?.object ?? [:]
    var values = [StateKey: JSON](minimumCapacity: state.count)
    for (name, value) in state {
      if let key = StateKey(rawValue: name) { values[key] = value }
    }
    var attributes: [String: Attribute] = [:]
    for (name, attribute) in params["attributes"]?.object ?? [:] {
      guard let value = attribute["value"] else { continue }
      attributes[name] = Attribute(
        value, unit: attribute["unit"]?.string, label: attribute["label"]?.string)
    }
    self.init(
      device: DeviceID(device), values: values,
      // An unknown word does not claim that the device has reported the values.
      provenance: params["provenance"].flatMap { word in
        word == .null ? nil : word.string.flatMap(Provenance.init) ?? .unknown
      } ?? .reported,
      attributes: attributes)
  }
}

/// Controller to plugin: begins or ends the reports of an amplifier's sound levels. An amplifier that was
/// just opened reports none.
public struct MeterNotification: PluginNotification {
  public static let method = "meter"
  /// The amplifier.
  public let device: DeviceID
  /// Whether the amplifier is to report its levels.
  public let isOn: Bool

  public init(device: DeviceID, isOn: Bool) {
    self.device = device
    self.isOn = isOn
  }

  public var params: JSON { ["device": .string(device.name), "on": .bool(isOn)] }

  public init?(params: JSON) {
    guard let device = params["device"]?.string, let isOn = params["on"]?.bool else { return nil }
    self.init(device: DeviceID(device), isOn: isOn)
  }
}

/// Plugin to controller: the levels of an amplifier's sound. They are no part of the device's state.
public struct LevelsNotification: PluginNotification {
  public static let method = "levels"
  /// The amplifier.
  public let device: DeviceID
  /// `nil` if the message has none, or none that are in range.
  public let levels: SoundLevels?

  public init(device: DeviceID, levels: SoundLevels) {
    self.device = device
    self.levels = levels
  }

  public var params: JSON {
    var object = levels?.json ?? [:]
    object["device"] = .string(device.name)
    return .object(object)
  }

  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.device = DeviceID(device)
    levels = SoundLevels(params)
  }
}

/// Plugin to controller: a player has used the token of its cable, and needs a new one.
public struct PlugAgainNotification: PluginNotification {
  public static let method = "plugAgain"
  /// The player.
  public let device: DeviceID

  public init(device: DeviceID) { self.device = device }

  public var params: JSON { ["device": .string(device.name)] }

  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.init(device: DeviceID(device))
  }
}

/// Plugin to controller: a message for the log, as one line of at most `ProtocolLimits.logMessage`.
public struct LogNotification: PluginNotification {
  /// The level of a log line.
  public enum Level: String, Sendable, CaseIterable {
    case debug, info, warning, error
  }

  public static let method = "log"
  /// The level of the message; `info` if the plugin gives none or an unknown one.
  public let level: Level
  /// One line; longer texts than 2,048 bytes are cut by the controller.
  public let message: String
  /// The device that it is about; `nil` for the plugin as a whole.
  public let device: DeviceID?

  /// - Parameters:
  ///   - message: Sent as one line, cut to `ProtocolLimits.logMessage` bytes.
  ///   - device: `nil` for the plugin as a whole.
  public init(_ level: Level, _ message: String, device: DeviceID? = nil) {
    self.level = level
    self.message = message
    self.device = device
  }

  public var params: JSON {
    let message = message.boundedLine(maximumBytes: ProtocolLimits.logMessage)
    var object: JSONObject = ["level": .string(level.rawValue), "message": .string(message)]
    if let device { object["device"] = .string(device.name) }
    return .object(object)
  }

  public init?(params: JSON) {
    guard
      let message = params["message"]?.string?.boundedLine(
        maximumBytes: ProtocolLimits.logMessage)
    else { return nil }
    self.init(
      params["level"]?.string.flatMap(Level.init) ?? .info, message,
      device: params["device"]?.string.map { DeviceID($0) })
  }
}
