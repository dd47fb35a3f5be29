import Devices
import JSON

/// A question from the controller to a plugin, with the type of its answer.
public protocol PluginRequest: Sendable {
  /// The result in Swift; `Void` for a request that is only confirmed.
  associatedtype Answer: Sendable
  /// The JSON-RPC method.
  static var method: String { get }
  /// The message's params.
  var params: JSON { get }
  /// Reads the params; `nil` when a member is missing or of the wrong kind.
  init?(params: JSON)
  /// Reads the result; `nil` when a member is missing or of the wrong kind.
  static func decodeAnswer(_ result: JSON) -> Answer?
  /// The result that carries the answer.
  static func encodeAnswer(_ answer: Answer) -> JSON
}

extension PluginRequest where Answer == Void {
  public static func decodeAnswer(_ result: JSON) -> Void? { () }
  public static func encodeAnswer(_ answer: Void) -> JSON { .object([:]) }
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

/// Opens a device; its present state follows as notifications before the answer.
public struct OpenRequest: PluginRequest {
  public static let method = "open"
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

/// Closes a device and releases its resources.
public struct CloseRequest: PluginRequest {
  public static let method = "close"
  /// A device that is open.
  public let device: DeviceID

  public init(device: DeviceID) { self.device = device }
  public var params: JSON { ["device": .string(device.name)] }
  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.init(device: DeviceID(device))
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

/// Asks a player for its catalogue.
public struct ScanRequest: PluginRequest {
  /// A part of a catalogue: as many items as fit into a line.
  public struct Page: Sendable, Hashable {
    /// The items of this page.
    public let items: [CatalogueItem]
    /// The cursor that requests the next page; `nil` at the end.
    public let next: String?
    /// The files that the player leaves out, at most `CatalogueListing.mostLeftOut`, and the number of all of them.
    /// Only the first page of a catalogue has them.
    public let leftOut: [CatalogueListing.LeftOutFile]
    public let leftOutCount: Int

    public init(
      _ items: [CatalogueItem], next: String? = nil,
      leftOut: [CatalogueListing.LeftOutFile] = [], leftOutCount: Int = 0
    ) {
      self.items = items
      self.next = next
      self.leftOut = leftOut
      self.leftOutCount = leftOutCount
    }
  }

  public static let method = "scan"
  /// The player.
  public let device: DeviceID
  /// An absolute path, or `nil` for the player's own discs.
  public let folder: String?
  /// Empty for the first page, then the `next` of the previous page; `nil` from a controller that
  /// requests no pages.
  public let cursor: String?

  public init(device: DeviceID, folder: String?, cursor: String? = nil) {
    self.device = device
    self.folder = folder
    self.cursor = cursor
  }

  public var params: JSON {
    var object: JSONObject = ["device": .string(device.name)]
    if let folder { object["folder"] = .string(folder) }
    if let cursor { object["cursor"] = .string(cursor) }
    return .object(object)
  }

  /// A folder or cursor that is not a text counts as missing.
  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.init(
      device: DeviceID(device), folder: params["folder"]?.string,
      cursor: params["cursor"]?.string)
  }

  /// Items that cannot be read are left out; `nil` without a list of items.
  public static func decodeAnswer(_ result: JSON) -> Page? {
    guard let items = result["items"]?.array else { return nil }
    let leftOut = (result["leftOut"]?.array ?? []).prefix(CatalogueListing.mostLeftOut)
      .compactMap(CatalogueListing.LeftOutFile.init)
    return Page(
      items.compactMap(CatalogueItem.init), next: result["next"]?.string, leftOut: leftOut,
      leftOutCount: max(leftOut.count, result["leftOutCount"]?.integer ?? 0))
  }

  public static func encodeAnswer(_ answer: Page) -> JSON {
    var object: JSONObject = ["items": .array(answer.items.map(\.json))]
    if let next = answer.next { object["next"] = .string(next) }
    if !answer.leftOut.isEmpty {
      object["leftOut"] = .array(answer.leftOut.map(\.json))
      object["leftOutCount"] = .integer(answer.leftOutCount)
    }
    return .object(object)
  }
}

/// Asks an amplifier to listen at a socket for the player of `input`. The socket accepts its token
/// once.
public struct OpenSocketRequest: PluginRequest {
  public static let method = "openSocket"
  /// The amplifier.
  public let device: DeviceID
  /// The amplifier's name of the input.
  public let input: String
  /// The path to listen on, and the token that opens it.
  public let socket: CableSocket

  public init(device: DeviceID, input: String, socket: CableSocket) {
    self.device = device
    self.input = input
    self.socket = socket
  }

  public var params: JSON {
    [
      "device": .string(device.name), "input": .string(input), "path": .string(socket.path),
      "token": .string(socket.token),
    ]
  }

  public init?(params: JSON) {
    guard let device = params["device"]?.string, let input = params["input"]?.string,
      let path = params["path"]?.string, let token = params["token"]?.string
    else { return nil }
    self.init(
      device: DeviceID(device), input: input, socket: CableSocket(path: path, token: token))
  }
}

/// Tells a player where its sound goes: into an amplifier's socket, or to a PCM that is lent to it.
public struct PlugRequest: PluginRequest {
  /// Where the sound goes.
  public enum Target: Sendable, Hashable {
    /// The amplifier's socket, which accepts the token once.
    case socket(CableSocket)
    /// The name of an ALSA PCM.
    case pcm(String)
  }

  public static let method = "plug"
  /// The player or tuner.
  public let device: DeviceID
  /// The other end of the cable.
  public let target: Target

  public init(device: DeviceID, target: Target) {
    self.device = device
    self.target = target
  }

  /// A request to connect to an amplifier's socket.
  public init(device: DeviceID, socket: CableSocket) {
    self.init(device: device, target: .socket(socket))
  }

  public var params: JSON {
    switch target {
    case .socket(let socket):
      [
        "device": .string(device.name), "path": .string(socket.path),
        "token": .string(socket.token),
      ]
    case .pcm(let name): ["device": .string(device.name), "pcm": .string(name)]
    }
  }

  /// `nil` unless there is either a `pcm`, or a `path` with a `token`.
  public init?(params: JSON) {
    guard let device = params["device"]?.string.map({ DeviceID($0) }) else { return nil }
    switch (params["pcm"], params["path"], params["token"]) {
    case (let pcm?, nil, nil):
      guard let name = pcm.string, !name.isEmpty else { return nil }
      self.init(device: device, target: .pcm(name))
    case (nil, let path?, let token?):
      guard let path = path.string, let token = token.string else { return nil }
      self.init(device: device, socket: CableSocket(path: path, token: token))
    default: return nil
    }
  }
}

/// Checks that the plugin still answers.
public struct PingRequest: PluginRequest {
  public static let method = "ping"
  public init() {}
  public init?(params: JSON) { self.init() }
  public var params: JSON { .object([:]) }
}

/// Tells the plugin to end: it answers, closes its devices and exits.
public struct ShutdownRequest: PluginRequest {
  public static let method = "shutdown"
  public init() {}
  public init?(params: JSON) { self.init() }
  public var params: JSON { .object([:]) }
}

/// Asks an amplifier to lend its PCM to the player at an input; the answer is the PCM's name.
public struct LendRequest: PluginRequest {
  public static let method = "lend"
  /// The amplifier.
  public let device: DeviceID
  /// The amplifier's name of the input.
  public let input: String

  public init(device: DeviceID, input: String) {
    self.device = device
    self.input = input
  }

  public var params: JSON { ["device": .string(device.name), "input": .string(input)] }

  public init?(params: JSON) {
    guard let device = params["device"]?.string, let input = params["input"]?.string else {
      return nil
    }
    self.init(device: DeviceID(device), input: input)
  }

  /// `nil` for a name that is empty or longer than `ProtocolLimits.pcm`.
  public static func decodeAnswer(_ result: JSON) -> String? {
    result["pcm"]?.string.flatMap {
      (1...ProtocolLimits.pcm).contains($0.utf8.count) ? $0 : nil
    }
  }

  public static func encodeAnswer(_ answer: String) -> JSON { ["pcm": .string(answer)] }
}

/// Tells a player to close the PCM that it was lent, before it answers.
public struct UnplugRequest: PluginRequest {
  public static let method = "unplug"
  /// The player.
  public let device: DeviceID

  public init(device: DeviceID) { self.device = device }
  public var params: JSON { ["device": .string(device.name)] }
  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.init(device: DeviceID(device))
  }
}
