import Devices
import JSON

/// The values that a device keeps without the process of its plugin.
struct DeviceMemory: Sendable {
  /// The keys whose values it keeps.
  var keys: Set<StateKey> = []
  /// The loudest volume, %, with which an amplifier turns on; restoring keeps to it.
  var loudestStart: Int?
}

/// Restores the wanted state of a device after its plugin has restarted. Settings are restored at
/// once; playback waits for the player's cable, if it had one.
struct Restoration: Sendable {
  /// The longest wait of playback for its cable.
  static let longestWaitForPlug = Duration.seconds(3)

  private var wanted: WantedState
  /// Whether the player has had its cable, in this process or an earlier one.
  private var wasPlugged = false
  /// The commands that restore playback, and the deadline of their wait for the cable.
  private var playback: (commands: [Command], deadline: Duration)?

  init(_ role: Role) { wanted = WantedState(role) }

  /// Whether playback waits for its cable.
  var isWaiting: Bool { playback != nil }

  /// Until when playback waits for its cable.
  var deadline: Duration? { playback?.deadline }

  /// Records a command that the device has accepted.
  mutating func record(_ command: Command, at now: Duration) { wanted.record(command, at: now) }

  /// Records a value that the device reported.
  mutating func record(_ value: JSON, for key: StateKey, at now: Duration) {
    wanted.record(value, for: key, at: now)
  }

  /// Adopts the reports of a device that is open for the first time as its wanted state.
  mutating func adopt(_ state: DeviceState, at now: Duration) {
    for (key, reading) in state.readings where reading.provenance == .reported {
      wanted.record(reading.value, for: key, at: now)
    }
  }

  /// Restores a device that is open again, in a new process.
  ///
  /// - Parameters:
  ///   - snapshot: The reports of the new process.
  ///   - memory: The values that the device keeps without its process.
  /// - Returns: The commands to send now. Those that restore playback may wait for the cable.
  mutating func restore(
    from snapshot: DeviceSnapshot, memory: DeviceMemory, at now: Duration
  ) -> [Command] {
    let commands = wanted.restoration(
      from: snapshot.state, remembered: memory.keys, loudestStart: memory.loudestStart)
    for key in memory.keys {
      if let value = snapshot.state[key] { wanted.record(value, for: key, at: now) }
    }
    let needsCable = wasPlugged && snapshot.capabilities.cables.contains { $0 != .wired }
    let split = commands.firstIndex { $0.spec.settled.key == .playback } ?? commands.endIndex
    guard needsCable, split < commands.endIndex else { return commands }
    playback = (Array(commands[split...]), now + Self.longestWaitForPlug)
    return Array(commands[..<split])
  }

  /// Records that the player has its cable, and removes and returns the commands that waited for it.
  mutating func markPlugged() -> [Command] {
    wasPlugged = true
    return removePlayback()
  }

  /// Removes and returns the commands that have waited for the cable for too long at `now`.
  mutating func removeDue(at now: Duration) -> [Command] {
    guard let playback, playback.deadline <= now else { return [] }
    return removePlayback()
  }

  /// Drops the commands that restore playback, and the wanted playback, because of another command.
  mutating func dropPlayback() {
    playback = nil
    wanted.forgetPlayback()
  }

  /// Stops the wanted position and drops the commands that wait, because contact with the device is
  /// lost.
  mutating func suspend(at now: Duration, wasOpen: Bool) {
    if wasOpen { wanted.stopPosition(at: now) }
    playback = nil
  }

  private mutating func removePlayback() -> [Command] {
    defer { playback = nil }
    return playback?.commands ?? []
  }
}
