/// What a device is for. `devices.json` binds each device to one role.
public enum Role: String, Sendable, Hashable, CaseIterable {
  case amplifier, tuner, dvdPlayer, cdPlayer, projector, lights, screen, popcornPopper

  /// The role in a person's words.
  public var title: String {
    switch self {
    case .amplifier: "amplifier"
    case .tuner: "tuner"
    case .dvdPlayer: "DVD player"
    case .cdPlayer: "CD player"
    case .projector: "projector"
    case .lights: "lights"
    case .screen: "screen"
    case .popcornPopper: "popcorn popper"
    }
  }

  /// Every command that a device of this role may be given, in the order of the reference page.
  public var commands: [CommandSpec] {
    switch self {
    case .amplifier: AmplifierCommand.specs
    case .tuner: TunerCommand.specs
    case .dvdPlayer: DVDPlayerCommand.specs
    case .cdPlayer: CDPlayerCommand.specs
    case .projector: ProjectorCommand.specs
    case .lights: LightsCommand.specs
    case .screen: ScreenCommand.specs
    case .popcornPopper: PopcornPopperCommand.specs
    }
  }

  /// The keys that a device of this role reports; `StateKey.shape` says with which values.
  public var stateKeys: [StateKey] {
    switch self {
    case .amplifier: [.power, .input, .mode, .volume, .muted]
    case .tuner: [.power, .band, .frequency, .station, .playback]
    case .dvdPlayer: [.power, .playback, .tray, .audio]
    case .cdPlayer: [.power, .playback, .tray]
    case .projector: [.power, .picture]
    case .lights: [.power, .brightness]
    case .screen: [.position]
    case .popcornPopper: [.power, .popping]
    }
  }

  /// The capabilities that a device may declare beyond the commands common to its role.
  public var capabilities: Set<String> { Set(commands.compactMap(\.capability)) }
}

/// The name of a device, as `devices.json` gives it: `amp`, `dvd`.
public struct DeviceID: Sendable, Hashable, Comparable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// The name itself.
  public let name: String

  public init(_ name: String) { self.name = name }
  public init(stringLiteral value: String) { name = value }
  public var description: String { name }
  public static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}
