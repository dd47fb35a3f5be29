import Devices

/// A caller that waits for the end of a command.
struct CommandCaller: Sendable {
  typealias Outcome = Result<Confirmation, DeviceError>

  /// Names the caller when it gives up.
  let number: Int
  let until: Completion
  /// Called once.
  let finish: @Sendable (Outcome) -> Void
}

/// A command on its way to the device, with its callers.
struct QueuedCommand: Sendable {
  /// Who gave it.
  enum Origin: Sendable, Hashable {
    case person
    /// It brings back what was lost with the plugin's process.
    case restoration
  }

  let command: Command
  let origin: Origin
  var callers: [CommandCaller]
  /// The request that carries it, once it was sent.
  var request: Int?
  /// When it must have been accepted; known once it was sent for the first time.
  var deadline: Duration?
  /// The count of the device's reports when it was sent last.
  var reportsSeen = 0
  /// Playback was reported as the command wants it since it was sent.
  var wasSettled = false
  /// It was given up while it was under way.
  var isCancelled = false

  var spec: CommandSpec { command.spec }
}

/// The commands of one device that are not over, at one moment.
struct CommandsInHand: Sendable, Equatable {
  static let none = CommandsInHand()

  /// Sent; its answer has not come.
  var underWay: Command?
  /// One that the device could not take yet comes first; then in the order of sending.
  var waiting: [Command] = []
  /// Accepted; a caller waits until the state shows them as done.
  var settling: [Command] = []
  /// When the next of them, or a player that waits for its cable, is due: offered again or given
  /// up. `nil` when nothing is.
  var due: Duration?
}
