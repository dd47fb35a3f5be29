import JSON

/// A row of a role's command table: everything about a command that is not its typed case. The one
/// definition for the wire, scene steps, REST bodies, the CLI, the schema and the reference.
///
/// A class, so that the many values that refer to a row share it; it never changes.
public final class CommandSpec: Sendable {
  /// The word in scenes, on the wire, in REST bodies and at the terminal.
  public let name: String
  /// The argument that the command takes; `nil` if it takes none.
  public let argument: ArgumentSpec?
  /// The state that the device must report for the command to count as done.
  public let settled: Settled
  /// The longest time until then.
  public let longest: Duration
  /// The capability that a device must declare; `nil` when every device of the role has the command.
  public let capability: String?
  /// The behaviour in the queue and after a restart.
  public let manner: CommandManner
  /// The permission that a user needs for it.
  public let permission: Permission
  /// The effect on the item of a player; `nil` if the command does not concern the item.
  public let effect: ItemEffect?
  /// The settings whose wanted values this command discards. A command that takes an argument discards them only when
  /// the argument is given.
  package let replaces: [StateKey]
  /// Whether there is nothing to do at a device that is off, such as stopping a player.
  public let isNeedlessWhenOff: Bool
  /// The value of the settled key while the device carries out the command, which makes another one needless; `nil` if
  /// no value does.
  public let progress: JSON?
  /// One sentence for the reference and the CLI.
  public let help: String

  init(
    _ name: String, _ argument: ArgumentSpec? = nil, settled: Settled,
    within longest: Duration = .seconds(10), capability: String? = nil,
    manner: CommandManner = .ordinary, permission: Permission = .operate,
    effect: ItemEffect? = nil, replaces: [StateKey] = [], isNeedlessWhenOff: Bool = false,
    progress: JSON? = nil, help: String
  ) {
    self.name = name
    self.argument = argument
    self.settled = settled
    self.longest = longest
    self.capability = capability
    self.manner = manner
    self.permission = permission
    self.effect = effect
    self.replaces = replaces
    self.isNeedlessWhenOff = isNeedlessWhenOff
    self.progress = progress
    self.help = help
  }
}

extension CommandSpec: Hashable {
  public static func == (left: CommandSpec, right: CommandSpec) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A permission that commands and other requests ask for.
public enum Permission: String, Sendable, Hashable, CaseIterable {
  /// See the current activity and the devices.
  case view
  /// Begin and end an activity, and control playback: pause, seek, volume.
  case play
  /// Use the whole theater: every device by itself, every scene.
  case operate
  /// Change one's own account.
  case account
  /// Change other people's accounts and the configuration.
  case administer
}

/// The behaviour of a command in a device's queue and after a restart.
public enum CommandManner: Sendable, Hashable {
  /// Waits its turn.
  case ordinary
  /// Waits its turn; a newer command for the same setting replaces a queued one.
  case setting(StateKey)
  /// Cancels a cancellable command in flight and overtakes the queue: stop, off, pause, mute.
  case urgent
  /// Waits its turn and can be cancelled while it is under way: play, next.
  case cancellable
  /// Happens once; never repeated after a restart: pop, eject.
  case momentary
}

/// The effect of a command on the item of a player.
public enum ItemEffect: Sendable, Hashable {
  /// Plays the item that the command names, or resumes the current one.
  case plays
  /// Goes to another position in the current item.
  case seeks
  /// Goes to another item, which the command does not name.
  case skips
  /// Ends the current item; the next one is unknown.
  case releases
}

/// The report of a device with which a command is done.
public enum Settled: Sendable, Hashable {
  /// Nothing can be observed: the command is done when it is accepted.
  case accepted
  /// The state has this value.
  case value(StateKey, JSON)
  /// The state has one of these values, the usual one first: a short state, such as that one, may be over before it
  /// is read.
  case anyValue(StateKey, [JSON])
  /// The state has the value that the command was given.
  case argument(StateKey)
  /// The player is in one of these states, with the item that the command asked for, if any.
  case playback([Playback.Status])

  /// Whether a state shows the command with its argument as done.
  public func isMet(by state: DeviceState, argument: JSON?) -> Bool {
    switch self {
    case .accepted: return true
    case .value(let key, let value): return state[key] == value
    case .anyValue(let key, let values): return state[key].map(values.contains) ?? false
    case .argument(let key): return argument == nil || state[key] == argument
    case .playback(let statuses):
      guard let playback = state.playback, statuses.contains(playback.status) else { return false }
      guard let item = argument?["item"]?.string else { return true }
      return playback.item == item
    }
  }

  /// The key that shows it; `nil` when nothing can be observed.
  public var key: StateKey? {
    switch self {
    case .accepted: nil
    case .value(let key, _), .anyValue(let key, _), .argument(let key): key
    case .playback: .playback
    }
  }
}
