/// The purpose of a device. `devices.json` binds each device to one role.
public enum Role: String, Sendable, Hashable, CaseIterable {
  case amplifier, tuner, dvdPlayer, cdPlayer, projector, lights, screen, popcornPopper

  /// The definition of the role. This is the only switch over the roles; other code reads their traits.
  var definition: RoleDefinition {
    switch self {
    case .amplifier: .amplifier
    case .tuner: .tuner
    case .dvdPlayer: .dvdPlayer
    case .cdPlayer: .cdPlayer
    case .projector: .projector
    case .lights: .lights
    case .screen: .screen
    case .popcornPopper: .popcornPopper
    }
  }

  /// The name of the role for people: "DVD player".
  public var title: String { definition.title }

  /// Whether devices of this role have a trait.
  public func has(_ trait: DeviceTrait.Kind) -> Bool {
    definition.traits.contains { $0.kind == trait }
  }

  /// The roles with a trait.
  public static func having(_ trait: DeviceTrait.Kind) -> [Role] {
    allCases.filter { $0.has(trait) }
  }

  /// Every command that a device of this role may be given, in the order of the reference page.
  public var commands: [CommandSpec] { definition.commands }

  /// The typed commands of this role, for plugins: `LightsCommand.self`.
  public var commandType: any RoleCommand.Type { definition.commandType }

  /// The row of a command; `nil` if the role has none of this name.
  public func command(named name: String) -> CommandSpec? {
    definition.commands.first { $0.name == name }
  }

  /// The keys that a device of this role reports.
  public var stateKeys: [StateKey] { definition.stateKeys }

  /// The keys that a device of this role reports, with their values.
  public var states: [StateSpec] { definition.states }

  /// The capabilities that a device may declare beyond the commands common to its role.
  public var capabilities: Set<String> { definition.capabilities }

  /// The list of the library that a player of this role plays; `nil` if it is no player or tuner.
  public var category: Category? { definition.category }

  /// The command that turns a device off; a screen goes up.
  public var off: Command? { definition.off.map { Command(role: self, spec: $0, argument: nil) } }

  /// The command that stops the playback of a film or song; `nil` if the role plays none.
  public var stop: Command? { definition.stop.map { Command(role: self, spec: $0, argument: nil) } }

  /// The roles in the order in which their devices are turned off: sound ends first, and the lights
  /// go out last.
  public static let inOffOrder = allCases.sorted { $0.definition.offOrder < $1.definition.offOrder }

  /// The transition of a device in this state, for people: "warming"; `nil` if there is none.
  /// Commands wait until a transition is over.
  package func transition(in state: DeviceState) -> String? {
    for spec in states {
      if let value = state[spec.key], let activity = spec.activity(at: value) { return activity }
    }
    return nil
  }
}

/// The name of a device, as `devices.json` gives it: `amp`, `dvd`.
public struct DeviceID: Sendable, Hashable, Comparable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// The name itself.
  public let name: String

  /// - Parameter name: Not checked; the configuration's reader checks names of devices.
  public init(_ name: String) { self.name = name }
  public init(stringLiteral value: String) { name = value }
  public var description: String { name }
  public static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}
