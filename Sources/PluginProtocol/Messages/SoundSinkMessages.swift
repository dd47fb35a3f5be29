import Devices
import JSON

extension MessageGroup {
  /// The messages of the facet `SoundSink`.
  static let soundSink = MessageGroup(
    title: "the cables of an amplifier",
    messages: [OpenSocketRequest.self, LendRequest.self])
}

/// Asks an amplifier to listen at a socket for the player of `input`. The socket accepts its token
/// once.
public struct OpenSocketRequest: PluginRequest {
  public static let method = "openSocket"
  public static let deadline = Duration.seconds(10)
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

/// Asks an amplifier to lend its PCM to the player at an input; the answer is the PCM's name.
public struct LendRequest: PluginRequest {
  public static let method = "lend"
  public static let deadline = Duration.seconds(10)
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
