import JSON

/// All that is known of a command apart from its typed case: one row of a role's table.
///
/// A class, so that the many values that refer to a row share it; it never changes.
public final class CommandSpec: Sendable {
  public let role: Role
  /// The word in scenes, on the wire, in REST bodies and at the terminal.
  public let name: String
  public let argument: ArgumentSpec?
  /// What a person must be allowed to do to give it.
  public let permission: Permission
  /// What the device must report for the command to count as done.
  public let settled: Settled
  /// How long that may take at most.
  public let longest: Duration
  /// What a device must declare to be given this command; `nil` when every device of the role can.
  public let capability: String?
  public let manner: CommandManner
  public let help: String

  init(
    role: Role, name: String, argument: ArgumentSpec?, permission: Permission, settled: Settled,
    longest: Duration, capability: String?, manner: CommandManner, help: String
  ) {
    self.role = role
    self.name = name
    self.argument = argument
    self.permission = permission
    self.settled = settled
    self.longest = longest
    self.capability = capability
    self.manner = manner
    self.help = help
  }
}

extension CommandSpec: Hashable {
  public static func == (left: CommandSpec, right: CommandSpec) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What a person must be allowed to do, to give a command or to ask for anything else.
public enum Permission: String, Sendable, Hashable, CaseIterable {
  /// See what runs.
  case view
  /// Begin and end an activity, and steer what plays: pause, seek, volume.
  case play
  /// Use the whole theater: every device by itself, every scene.
  case operate
  /// Change one's own account.
  case account
  /// Change other people's accounts and the configuration.
  case administer
}

/// How a command behaves in a device's queue and after a restart.
public enum CommandManner: Sendable, Hashable {
  /// Waits its turn.
  case ordinary
  /// Waits its turn; a queued one gives way to a newer one for the same setting.
  case setting(StateKey)
  /// Cancels a cancellable command in flight and passes the queue: stop, off, pause, mute.
  case urgent
  /// Waits its turn and can be cancelled while it is under way: play, next.
  case cancellable
  /// Happens once; never repeated after a restart: pop, eject.
  case momentary
}

/// What a device must report for a command to be done.
public enum Settled: Sendable, Hashable {
  /// Nothing can be observed: the command is done when it is accepted.
  case accepted
  /// The state has this value.
  case value(StateKey, JSON)
  /// The state has one of these values, the usual one first: what goes by quickly may be over
  /// before anyone looks.
  case anyValue(StateKey, [JSON])
  /// The state has the value that the command was given.
  case argument(StateKey)
  /// The player is in one of these states, with the item that the command asked for, if any.
  case playback([Playback.Status])

  /// Whether `state` shows the command with `argument` as done.
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

  /// Which state shows it; `nil` when nothing can be observed.
  public var key: StateKey? {
    switch self {
    case .accepted: nil
    case .value(let key, _), .anyValue(let key, _), .argument(let key): key
    case .playback: .playback
    }
  }
}
