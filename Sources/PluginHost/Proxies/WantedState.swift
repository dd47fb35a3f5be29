import Devices
import JSON

/// The wanted state of a device: the last value of each key that was commanded, or that the device
/// reported of itself. The device is restored from it after a restart of its plugin.
struct WantedState: Sendable, Hashable {
  private let role: Role
  private var values: [StateKey: JSON] = [:]
  /// The keys of values that nobody chose: the device reported them when it was opened for the first time.
  private var adopted: Set<StateKey> = []
  /// Rises with each change of a chosen value.
  private(set) var changes = 0
  private var playback: Playback?
  /// The time of the playback's anchor.
  private var playbackTime = Duration.zero
  /// The last volume that the device reported after a choice, %.
  private var heardVolume: Int?

  /// - Parameter settings: The values that were chosen before the controller was started.
  init(_ role: Role, settings: DeviceSettings? = nil) {
    self.role = role
    if let settings, settings.role == role { values = settings.values }
  }

  /// The chosen values that outlive a restart of the controller. The volume is never above the last reported one.
  var settings: [StateKey: JSON] {
    var chosen = values.filter { !adopted.contains($0.key) }
    if let volume = chosen[.volume]?.integer, let heardVolume, heardVolume < volume {
      chosen[.volume] = .integer(heardVolume)
    }
    return DeviceSettings(role: role, values: chosen).values
  }

  /// The keys of the chosen values that outlive a restart of the controller.
  var settingKeys: Set<StateKey> { Set(settings.keys) }

  /// Whether a value that outlives a restart of the controller was chosen for this key.
  func holdsSetting(_ key: StateKey) -> Bool { hasSetting(key) && !adopted.contains(key) }

  /// Whether there is a value for this key that would outlive a restart of the controller, chosen or not.
  func hasSetting(_ key: StateKey) -> Bool {
    values[key] != nil && role.states.contains { $0.key == key && $0.isStored }
  }

  /// Records a command that the device has accepted.
  mutating func record(_ command: Command, at now: Duration) {
    let spec = command.spec
    switch spec.settled {
    case .value(let key, let value): update(value, for: key)
    case .argument(let key): if let argument = command.argument { update(argument, for: key) }
    case .playback(let statuses): recordPlayback(command, statuses, at: now)
    // Nothing to restore: `.accepted` names no state, and the state of `.anyValue` passes by
    // itself.
    case .accepted, .anyValue: break
    }
    if let level = command.brightness, level > 0, values[.power] == "off" {
      // Lights that report no state do not say that dimming has turned them on.
      choose(nil, for: .power)
    }
    if spec.argument == nil || command.argument != nil {
      for key in spec.replaces { choose(nil, for: key) }
    }
    guard let argument = command.argument else { return }
    // A command that settles on one key and sets another: a frequency settles on its band.
    if case .setting(let key) = spec.manner, case .value = spec.settled {
      choose(argument, for: key)
    }
  }

  /// Records a value that the device reported.
  mutating func record(_ value: JSON, for key: StateKey, at now: Duration) {
    if key == .playback {
      playback = Playback(value)
      playbackTime = now
    } else {
      if key == .volume { heardVolume = value.integer }
      update(value, for: key)
    }
  }

  /// Freezes the position of the playback at `now`, until the next report or command of playback.
  mutating func stopPosition(at now: Duration) {
    guard let position = playback?.position(after: now - playbackTime) else { return }
    playback?.position = position
    playback?.rate = 0
    playbackTime = now
  }

  /// Forgets the playback.
  mutating func forgetPlayback() { playback = nil }

  /// Adopts a value that the device reported when it was opened for the first time; nobody chose it. A chosen value
  /// stays, unless the device has kept its own.
  mutating func adopt(_ value: JSON, for key: StateKey, isKept: Bool, at now: Duration) {
    guard isKept || !holdsSetting(key) else { return }
    record(value, for: key, at: now)
    if values[key] != nil { adopted.insert(key) }
  }

  /// Makes a restored volume the chosen one, if it is lower.
  mutating func lowerVolume(to volume: Int) {
    guard holdsSetting(.volume), let chosen = values[.volume]?.integer, volume < chosen else {
      return
    }
    choose(.integer(volume), for: .volume)
  }

  private mutating func update(_ value: JSON, for key: StateKey) {
    switch role.states.first(where: { $0.key == key })?.wantedChange(for: value) {
    case .set(let value): choose(value, for: key)
    case .clear: choose(nil, for: key)
    case .keep, nil: break
    }
  }

  private mutating func choose(_ value: JSON?, for key: StateKey) {
    values[key] = value
    adopted.remove(key)
    changes += 1
  }

  private mutating func recordPlayback(
    _ command: Command, _ statuses: [Playback.Status], at now: Duration
  ) {
    guard let status = statuses.first else { return }
    let position = playback?.position(after: now - playbackTime) ?? 0
    let isNew = command.item != nil && command.item != playback?.item
    playback = Playback(
      status, item: command.item ?? playback?.item,
      position: command.argument?["position"]?.number
        ?? (isNew || status == .stopped ? 0 : position))
    playbackTime = now
  }

  /// Returns the commands that restore the wanted state, in order. Playback continues at the
  /// position at which ``stopPosition(at:)`` stopped it.
  ///
  /// - Parameters:
  ///   - state: The state that the new process has reported.
  ///   - remembered: The keys that the device itself keeps; they are not restored.
  ///   - loudestStart: The highest volume with which the amplifier may turn on, %.
  func restoration(
    from state: DeviceState, remembered: Set<StateKey>, loudestStart: Int?
  ) -> [Command] {
    role.commands(
      for: RestorationContext(
        wanted: values, playback: playback,
        loudest: [heardVolume, loudestStart].compactMap(\.self).min(), state: state,
        remembered: remembered))
  }

  /// Returns the commands that give a device that is on its chosen settings, in order. None makes it louder than it
  /// is.
  ///
  /// - Parameters:
  ///   - keys: The settings to give.
  ///   - state: The state that the device has reported.
  ///   - loudestStart: The highest volume with which the amplifier may turn on, %.
  func settingCommands(
    for keys: Set<StateKey>, from state: DeviceState, loudestStart: Int?
  ) -> [Command] {
    role.settingCommands(
      for: RestorationContext(
        wanted: settings.filter { keys.contains($0.key) }, playback: nil,
        loudest: [state.volume, loudestStart].compactMap(\.self).min(), state: state,
        remembered: []))
  }

  /// Returns the command that gives an amplifier its chosen volume while it is off, at most `loudestStart` %; `nil`
  /// without one.
  func volumeCommand(from state: DeviceState, loudestStart: Int?) -> Command? {
    guard let chosen = settings[.volume]?.integer else { return nil }
    let volume = loudestStart.map { min($0, chosen) } ?? chosen
    return state.volume == volume ? nil : role.volumeCommand(volume)
  }
}
