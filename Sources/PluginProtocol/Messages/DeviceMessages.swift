import Devices
import JSON

extension MessageGroup {
  /// The messages about every device.
  static let device = MessageGroup(
    title: "each device",
    messages: [OpenRequest.self, PerformRequest.self, StateNotification.self, CloseRequest.self])
}

/// Opens a device; its present state follows as notifications before the answer.
public struct OpenRequest: PluginRequest {
  public static let method = "open"
  public static let deadline = Duration.seconds(20)
  /// The device's name in `devices.json`; later messages name it by this.
  public let device: DeviceID
  /// A role of the plugin's manifest.
  public let role: Role
  /// The device's options, checked against the manifest's schema.
  public let options: JSON

  public init(device: DeviceID, role: Role, options: JSON) {
    self.device = device
    self.role = role
    self.options = options
  }

  public var params: JSON {
    ["device": .string(device.name), "role": .string(role.rawValue), "options": options]
  }

  /// Missing options are read as an empty object.
  public init?(params: JSON) {
    guard let device = params["device"]?.string,
      let role = params["role"]?.string.flatMap(Role.init)
    else { return nil }
    self.init(device: DeviceID(device), role: role, options: params["options"] ?? .object([:]))
  }

  /// Missing members get their defaults, and unknown kinds of cable are left out; never `nil`.
  public static func decodeAnswer(_ result: JSON) -> Capabilities? {
    Capabilities(
      names: Set((result["capabilities"]?.array ?? []).compactMap(\.string)),
      reportsState: result["reportsState"]?.bool ?? true,
      cables: (result["cables"]?.array ?? []).compactMap(\.string).compactMap(CableKind.init))
  }

  public static func encodeAnswer(_ answer: Capabilities) -> JSON {
    [
      "capabilities": .array(answer.names.sorted().map { .string($0) }),
      "reportsState": .bool(answer.reportsState),
      "cables": .array(answer.cables.map { .string($0.rawValue) }),
    ]
  }
}

/// Gives a device a command. The answer means accepted; changes of its state are reported.
public struct PerformRequest: PluginRequest {
  /// The answer of a device that has accepted the command.
  public struct Answer: Sendable {
    /// The device's last report before the answer, unless it was sent as a notification.
    public let report: StateNotification?

    public init(report: StateNotification? = nil) { self.report = report }
  }

  public static let method = "perform"
  /// A command whose own longest time is shorter must be answered within that.
  public static let deadline = Duration.seconds(30)
  /// A device that is open.
  public let device: DeviceID
  /// As in a scene: `"on"` or `{"dim": 40}`.
  public let command: JSON

  public init(device: DeviceID, command: JSON) {
    self.device = device
    self.command = command
  }

  public var params: JSON { ["device": .string(device.name), "command": command] }
  public init?(params: JSON) {
    guard let device = params["device"]?.string, let command = params["command"] else { return nil }
    self.init(device: DeviceID(device), command: command)
  }

  /// `nil` for a report without a device.
  public static func decodeAnswer(_ result: JSON) -> Answer? {
    guard let params = result["report"] else { return Answer() }
    return StateNotification(params: params).map { Answer(report: $0) }
  }

  public static func encodeAnswer(_ answer: Answer) -> JSON {
    answer.report.map { ["report": $0.params] } ?? [:]
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

/// Closes a device and releases its resources.
public struct CloseRequest: PluginRequest {
  public static let method = "close"
  public static let deadline = Duration.seconds(5)
  /// A device that is open.
  public let device: DeviceID

  public init(device: DeviceID) { self.device = device }
  public var params: JSON { ["device": .string(device.name)] }
  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.init(device: DeviceID(device))
  }
}
