import JSON

/// The wanted state of a device and the state that its plugin reports after a restart.
package struct RestorationContext: Sendable {
  /// The last value of each key that was commanded, or reported by the device itself.
  let wanted: [StateKey: JSON]
  /// The wanted playback; its position is the one at the loss of contact.
  let playback: Playback?
  /// The highest volume to restore, %; `nil` without a limit.
  let loudest: Int?
  /// The state that the new process has reported.
  let state: DeviceState
  /// The keys that the device itself keeps; they are not restored.
  let remembered: Set<StateKey>

  package init(
    wanted: [StateKey: JSON], playback: Playback?, loudest: Int?, state: DeviceState,
    remembered: Set<StateKey>
  ) {
    self.wanted = wanted
    self.playback = playback
    self.loudest = loudest
    self.state = state
    self.remembered = remembered
  }

  /// The wanted value of a key, if the device must be told it.
  func missing(_ key: StateKey) -> JSON? {
    guard !remembered.contains(key), let value = wanted[key], state[key] != value else {
      return nil
    }
    return value
  }

  /// The order in which the commands of a restoration are sent: power, then mute, and the input and playback last, so
  /// that nothing is heard before the other settings are restored.
  enum Phase: Int, Sendable, Comparable {
    case power, silence, setting, sound, source, playback

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// A command that restores something.
  struct Step: Sendable {
    let phase: Phase
    let command: String
    var argument: JSON?

    init(_ phase: Phase, _ command: String, _ argument: JSON? = nil) {
      self.phase = phase
      self.command = command
      self.argument = argument
    }
  }
}

extension Role {
  /// The commands that give a device that is on the settings that were chosen for it before. None of them changes its
  /// power, plays, moves or ends a mute; `restoration.loudest` limits the volume.
  package func settingCommands(for restoration: RestorationContext) -> [Command] {
    let stored = Set(states.filter(\.isStored).map(\.key))
    return definition.traits.flatMap { $0.restore(restoration) }
      .filter { [.silence, .setting, .source].contains($0.phase) }
      .sorted { $0.phase < $1.phase }
      .compactMap { try? Command($0.command, argument: $0.argument, role: self) }
      .filter { command in command.spec.settled.key.map(stored.contains) ?? false }
  }

  /// The commands that bring a device of this role back to its wanted state, in order. A device that
  /// is meant to be off is only turned off.
  package func commands(for restoration: RestorationContext) -> [Command] {
    let isOn = restoration.wanted[.power].map { $0 == "on" } ?? true
    return definition.traits.flatMap { $0.restore(restoration) }
      .filter { isOn || $0.phase == .power }
      .sorted { $0.phase < $1.phase }
      .compactMap { try? Command($0.command, argument: $0.argument, role: self) }
  }
}
