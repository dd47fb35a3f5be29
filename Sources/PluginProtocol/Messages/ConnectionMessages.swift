import Devices
import JSON

extension MessageGroup {
  /// The messages about the plugin itself.
  static let connection = MessageGroup(
    title: "the plugin",
    messages: [
      InitializeRequest.self, PingRequest.self, ShutdownRequest.self, CancelNotification.self,
      LogNotification.self,
    ])
}

/// The first request: asks for the plugin's id, version and protocol version.
public struct InitializeRequest: PluginRequest {
  /// The answer of a plugin: the id and version of its manifest, and its protocol version.
  public struct Answer: Sendable, Hashable {
    /// The protocol version of the plugin.
    public let version: ProtocolVersion
    /// The id of the plugin's manifest.
    public let plugin: String
    /// The version in the plugin's manifest.
    public let pluginVersion: String

    public init(version: ProtocolVersion, plugin: String, pluginVersion: String) {
      self.version = version
      self.plugin = plugin
      self.pluginVersion = pluginVersion
    }
  }

  public static let method = "initialize"
  public static let deadline = Duration.seconds(10)
  /// The protocol version of the controller.
  public let version: ProtocolVersion
  /// Name and version of the controller, for the plugin's log.
  public let controller: String

  public init(version: ProtocolVersion = .current, controller: String) {
    self.version = version
    self.controller = controller
  }

  public var params: JSON {
    ["protocol": .string(version.description), "controller": .string(controller)]
  }

  /// A missing name of the controller is read as empty.
  public init?(params: JSON) {
    guard let version = params["protocol"]?.string.flatMap(ProtocolVersion.init) else { return nil }
    self.init(version: version, controller: params["controller"]?.string ?? "")
  }

  /// A missing version of the plugin is read as empty.
  public static func decodeAnswer(_ result: JSON) -> Answer? {
    guard let version = result["protocol"]?.string.flatMap(ProtocolVersion.init),
      let plugin = result["plugin"]?.string
    else { return nil }
    return Answer(
      version: version, plugin: plugin, pluginVersion: result["version"]?.string ?? "")
  }

  public static func encodeAnswer(_ answer: Answer) -> JSON {
    [
      "protocol": .string(answer.version.description), "plugin": .string(answer.plugin),
      "version": .string(answer.pluginVersion),
    ]
  }
}

/// Checks that the plugin still answers.
public struct PingRequest: PluginRequest {
  public static let method = "ping"
  public static let deadline = Duration.seconds(5)
  public init() {}
  public init?(params: JSON) { self.init() }
  public var params: JSON { .object([:]) }
}

/// Tells the plugin to end: it answers, closes its devices and exits.
public struct ShutdownRequest: PluginRequest {
  public static let method = "shutdown"
  public static let deadline = Duration.seconds(2)
  public init() {}
  public init?(params: JSON) { self.init() }
  public var params: JSON { .object([:]) }
}

/// Controller to plugin: the request with this id is not wanted any more. It is still answered.
public struct CancelNotification: ControllerNotification {
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
