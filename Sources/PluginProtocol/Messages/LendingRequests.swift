import Devices
import JSON

/// Asks an amplifier to lend its PCM to the player at an input; the answer is the PCM's name.
public struct LendRequest: PluginRequest {
  public static let method = "lend"
  public let device: DeviceID
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
  public static func answer(_ result: JSON) -> String? {
    result["pcm"]?.string.flatMap {
      (1...ProtocolLimits.pcm).contains($0.utf8.count) ? $0 : nil
    }
  }

  public static func result(_ answer: String) -> JSON { ["pcm": .string(answer)] }
}

/// Tells a player to close the PCM that it was lent, before it answers.
public struct UnplugRequest: PluginRequest {
  public static let method = "unplug"
  public let device: DeviceID

  public init(device: DeviceID) { self.device = device }
  public var params: JSON { ["device": .string(device.name)] }
  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.init(device: DeviceID(device))
  }
}
