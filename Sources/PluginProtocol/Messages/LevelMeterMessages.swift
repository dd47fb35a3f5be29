import Devices
import JSON

extension MessageGroup {
  /// The messages of the facet `LevelMeter`.
  static let levelMeter = MessageGroup(
    title: "the levels of an amplifier",
    messages: [MeterNotification.self, LevelsNotification.self])
}

/// Controller to plugin: begins or ends the reports of an amplifier's sound levels. An amplifier that was
/// just opened reports none.
public struct MeterNotification: ControllerNotification {
  public static let method = "meter"
  public static let since = ProtocolVersion(major: 1, minor: 2)
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
  public static let since = ProtocolVersion(major: 1, minor: 2)
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
