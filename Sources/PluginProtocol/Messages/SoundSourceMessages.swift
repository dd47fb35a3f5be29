import Devices
import JSON

extension MessageGroup {
  /// The messages of the facet `SoundSource`.
  static let soundSource = MessageGroup(
    title: "the cable of a player or tuner",
    messages: [PlugRequest.self, UnplugRequest.self, PlugAgainNotification.self])
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
  public static let deadline = Duration.seconds(10)
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

/// Tells a player to close the PCM that it was lent, before it answers.
public struct UnplugRequest: PluginRequest {
  public static let method = "unplug"
  public static let deadline = Duration.seconds(10)
  /// The player.
  public let device: DeviceID

  public init(device: DeviceID) { self.device = device }
  public var params: JSON { ["device": .string(device.name)] }
  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.init(device: DeviceID(device))
  }
}

/// Plugin to controller: a player has used the token of its cable, and needs a new one.
public struct PlugAgainNotification: PluginNotification {
  public static let method = "plugAgain"
  public static let since = ProtocolVersion(major: 1, minor: 3)
  /// The player.
  public let device: DeviceID

  public init(device: DeviceID) { self.device = device }

  public var params: JSON { ["device": .string(device.name)] }

  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.init(device: DeviceID(device))
  }
}
