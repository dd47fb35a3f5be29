import Devices
import JSON

/// The wanted state of a device: the last value of each key that was commanded, or that the device
/// reported of itself. The device is restored from it after a restart of its plugin.
struct WantedState: Sendable, Hashable {
  private let role: Role
  private var values: [StateKey: JSON] = [:]
  private var playback: Playback?
  /// The time of the playback's anchor.
  private var playbackTime = Duration.zero
  /// The last volume that the device reported, %.
  private var heardVolume: Int?

  init(_ role: Role) { self.role = role }

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
      values.removeValue(forKey: .power)
    }
    if spec.argument == nil || command.argument != nil {
      for key in spec.replaces { values.removeValue(forKey: key) }
    }
    guard let argument = command.argument else { return }
    // A command that settles on one key and sets another: a frequency settles on its band.
    if case .setting(let key) = spec.manner, case .value = spec.settled { values[key] = argument }
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

  private mutating func update(_ value: JSON, for key: StateKey) {
    switch role.states.first(where: { $0.key == key })?.wantedChange(for: value) {
    case .set(let value): values[key] = value
    case .clear: values.removeValue(forKey: key)
    case .keep, nil: break
    }
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
}
