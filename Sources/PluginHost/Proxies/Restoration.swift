import Devices
import JSON

/// What a device and its plugin know after the device was opened.
struct DeviceMemory: Sendable {
  /// The keys whose values the device keeps without the process of its plugin.
  var keys: Set<StateKey> = []
  /// The loudest volume, %, with which an amplifier turns on; restoring keeps to it.
  var loudestStart: Int?
  /// Whether a process has opened it before with the same plugin and options. Otherwise it may be another device, which
  /// keeps nothing of this one.
  var isSameDevice = true
}

/// Restores the wanted state of a device after a restart of its plugin, and its settings after a restart of the
/// controller.
///
/// Settings are given to a device that is on at once, and otherwise when it is turned on. Playback waits for the
/// player's cable, if it had one.
struct Restoration: Sendable {
  /// The longest wait of playback for its cable.
  static let longestWaitForPlug = Duration.seconds(3)

  private let role: Role
  private var wanted: WantedState
  private var memory = DeviceMemory()
  /// The keys of the settings that the device gets when it is on.
  private var pending: Set<StateKey> = []
  /// Whether the player has had its cable, in this process or an earlier one.
  private var wasPlugged = false
  /// The commands that restore playback, and the deadline of their wait for the cable.
  private var playback: (commands: [Command], deadline: Duration)?

  /// - Parameter settings: Those that were chosen before the controller was started.
  init(_ role: Role, settings: DeviceSettings? = nil) {
    self.role = role
    wanted = WantedState(role, settings: settings)
  }

  /// The settings that outlive a restart of the controller.
  var settings: [StateKey: JSON] { wanted.settings }

  /// Rises with each change of what is wanted.
  var changes: Int { wanted.changes }

  /// Whether playback waits for its cable.
  var isWaiting: Bool { playback != nil }

  /// Until when playback waits for its cable.
  var deadline: Duration? { playback?.deadline }

  /// Whether settings wait until the device is on.
  var awaitsPower: Bool { !pending.isEmpty }

  /// Records a command that the device has accepted. Its setting is not restored again when the device turns on.
  mutating func record(_ command: Command, at now: Duration) {
    wanted.record(command, at: now)
    guard !pending.isEmpty else { return }
    var keys = Set(command.spec.replaces)
    if let key = command.spec.settled.key { keys.insert(key) }
    if case .setting(let key) = command.spec.manner { keys.insert(key) }
    if role.has(.tuning), !pending.isDisjoint(with: keys) { keys.formUnion(Self.tuning) }
    pending.subtract(keys)
  }

  /// Keys of one choice.
  private static let tuning: [StateKey] = [.band, .frequency, .station]

  /// Records a value that the device reported.
  ///
  /// - Parameter isRepeated: Whether the device had reported it before: it need not be the chosen one then, such as a
  ///   volume that a limit has lowered.
  mutating func record(_ value: JSON, for key: StateKey, isRepeated: Bool, at now: Duration) {
    // A device that is being turned on reports the settings with which its process has begun.
    guard !pending.contains(key) else { return }
    if isRepeated, wanted.hasSetting(key) { return }
    wanted.record(value, for: key, at: now)
  }

  /// Begins with a device that is open for the first time. What it reports is its wanted state, but for the settings
  /// that were chosen before the controller was started.
  ///
  /// - Returns: The commands to send now, if it is on.
  mutating func begin(
    with snapshot: DeviceSnapshot, memory: DeviceMemory, at now: Duration
  ) -> [Command] {
    self.memory = memory
    for (key, reading) in snapshot.state.readings where reading.provenance == .reported {
      wanted.adopt(reading.value, for: key, isKept: memory.keys.contains(key), at: now)
    }
    if role.has(.power) { pending = wanted.settingKeys }
    return recordPower(of: snapshot.state)
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
    self.memory = memory
    if !memory.isSameDevice { self.memory.keys = [] }
    let memory = self.memory
    let commands = wanted.restoration(
      from: snapshot.state, remembered: memory.keys, loudestStart: memory.loudestStart)
    for key in memory.keys {
      if let value = snapshot.state[key] { wanted.record(value, for: key, at: now) }
    }
    // After a swap the choice stays: the other plugin may be quieter only.
    if memory.isSameDevice, let loudest = memory.loudestStart { wanted.lowerVolume(to: loudest) }
    pending = []
    if role.has(.power), snapshot.state.power != .on {
      pending = wanted.settingKeys.subtracting(memory.keys)
    }
    let needsCable = wasPlugged && snapshot.capabilities.cables.contains { $0 != .wired }
    let split = commands.firstIndex { $0.spec.settled.key == .playback } ?? commands.endIndex
    guard needsCable, split < commands.endIndex else { return commands }
    playback = (Array(commands[split...]), now + Self.longestWaitForPlug)
    return Array(commands[..<split])
  }

  /// Records the power of the device.
  ///
  /// - Returns: The commands that give it its settings, if it is on now.
  mutating func recordPower(of state: DeviceState) -> [Command] {
    guard awaitsPower, state.power == .on else { return [] }
    defer { pending = [] }
    return wanted.settingCommands(for: pending, from: state, loudestStart: memory.loudestStart)
  }

  /// Returns the command that gives an amplifier its volume before it is turned on; `nil` without one.
  func volumeBeforeTurningOn(in state: DeviceState) -> Command? {
    guard pending.contains(.volume), state.power == .off else { return nil }
    return wanted.volumeCommand(from: state, loudestStart: memory.loudestStart)
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
