import Devices

/// Someone who waits for the end of a command.
struct CommandCaller: Sendable {
  typealias Outcome = Result<Confirmation, DeviceError>

  /// Names the caller when it gives up.
  let number: Int
  let until: Completion
  /// Called once.
  let finish: @Sendable (Outcome) -> Void
}

/// A command on its way to the device, with everyone who waits for it.
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
