import Devices

/// A caller that waits for the end of a command.
struct CommandCaller: Sendable {
  typealias Outcome = Result<Confirmation, DeviceError>

  /// Identifies the caller, so that it can be removed when it stops waiting.
  let number: Int
  let until: Completion
  /// Called once.
  let finish: @Sendable (Outcome) -> Void
}

/// A command on its way to the device, with its callers.
struct QueuedCommand: Sendable {
  /// The source of a command.
  enum Origin: Sendable, Hashable {
    case person
    /// It restores state that was lost with the plugin's process, or chosen before the controller was started.
    case restoration
    /// It restores a setting of a device that is off and may refuse it; then the device gets it when it is on.
    case attempt
    /// It turns an amplifier down that has started above its limit.
    case limit
  }

  var command: Command
  let origin: Origin
  var callers: [CommandCaller]
  /// The request that carries it, once it was sent.
  var request: Int?
  /// The deadline of its acceptance; set when it is sent for the first time.
  var deadline: Duration?
  /// Its effect since it was sent last.
  var progress: EffectProgress?
  /// Since when the device cannot be reached, after it had refused the command with `notNow`.
  var lostSince: Duration?
  /// Whether the device has refused it with `notNow`.
  var wasHeld = false
  /// The count of the device's reports when it was sent last.
  var reportsSeen = 0
  /// Whether the settled playback was reported since it was sent.
  var wasSettled = false
  /// Whether it was cancelled while it was in flight.
  var isCancelled = false
  /// Whether a newer command made it pointless while it was in flight. It is not sent again then.
  var isObsolete = false

  var spec: CommandSpec { command.spec }
  /// Whether the controller sends this command by itself, to restore a setting.
  var isRestoring: Bool { origin == .restoration || origin == .attempt }
}

/// The commands of one device that are not over, at one moment.
struct CommandsInHand: Sendable, Equatable {
  static let none = CommandsInHand()

  /// Sent; its answer has not come.
  var underWay: Command?
  /// In the order of sending; a command that the device refused with `notNow` comes first.
  var waiting: [Command] = []
  /// Accepted; a caller waits until the state shows them as done.
  var settling: [Command] = []
  /// The next time at which one of them, or a player that waits for its cable, is sent again or
  /// fails; `nil` if none is due.
  var due: Duration?
}
