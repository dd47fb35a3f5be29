import JSON

/// An amplifier.
public protocol Amplifier: Switchable, InputSelecting, SoundModeControl, VolumeControl {}

extension Amplifier {
  public var role: Role { .amplifier }
}

/// An amplifier that passes its calls on to a device of the role `amplifier`.
package final class AmplifierConnection: Amplifier, DeviceConnection {
  package let device: any Device

  package init(_ device: any Device) { self.device = device }
}

extension RoleDefinition {
  static let amplifier = RoleDefinition(
    "amplifier", AmplifierCommand.self, offOrder: 5,
    [
      .power(
        on: .on("Turns the amplifier on and opens the sound device.", within: .seconds(30)),
        off: .off("Turns the amplifier off and releases the sound device.", within: .seconds(30))),
      .input, .soundMode, .volume, .mute,
    ])
}

/// The commands of the amplifier.
public enum AmplifierCommand: RoleCommand {
  case on
  case off
  /// Selects the input of this name; inputs are named by the cables in `devices.json`.
  case input(String)
  case stereo
  case surround
  /// Volume in %, 0 to 100; see `VolumeCurve` for the loudness.
  case volume(Int)
  case mute
  case unmute

  /// The names in `devices.json` and the API.
  public enum Name: String, CaseIterable, Sendable {
    case on, off, input, stereo, surround, volume, mute, unmute
  }
  public static let role = Role.amplifier

  public init?(_ name: Name, _ argument: JSON?) {
    switch name {
    case .on: self = .on
    case .off: self = .off
    case .input:
      guard let input = argument?.string else { return nil }
      self = .input(input)
    case .stereo: self = .stereo
    case .surround: self = .surround
    case .volume:
      guard let volume = argument?.integer else { return nil }
      self = .volume(volume)
    case .mute: self = .mute
    case .unmute: self = .unmute
    }
  }

  /// The command as name and argument; the volume is an integer in %.
  public var invocation: Invocation<Name> {
    switch self {
    case .on: .init(.on)
    case .off: .init(.off)
    case .input(let name): .init(.input, .string(name))
    case .stereo: .init(.stereo)
    case .surround: .init(.surround)
    case .volume(let volume): .init(.volume, .integer(volume))
    case .mute: .init(.mute)
    case .unmute: .init(.unmute)
    }
  }
}
