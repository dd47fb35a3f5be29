import Devices
import JSON

/// What a device is meant to be like: the last that was told to it, or that it told of itself.
///
/// After its plugin has started anew, what the process had held is brought back from here.
struct WantedState: Sendable, Hashable {
  private var values: [StateKey: JSON] = [:]
  private var playback: Playback?
  /// When the playback's anchor was taken.
  private var playbackTime = Duration.zero
  /// The volume that was really heard last, %.
  private var heardVolume: Int?

  /// Takes a command that the device has accepted.
  mutating func accept(_ command: Command, at now: Duration) {
    switch command.spec.settled {
    case .value(let key, let value): take(value, for: key)
    case .argument(let key): if let argument = command.argument { take(argument, for: key) }
    case .playback(let statuses): acceptPlayback(command, statuses, at: now)
    // One of several passing values is not something to be restored.
    case .accepted, .anyValue: break
    }
    if case .setting(.frequency) = command.spec.manner { acceptTuning(command) }
  }

  /// Takes what the device reported of itself.
  mutating func report(_ value: JSON, for key: StateKey, at now: Duration) {
    switch key {
    case .playback:
      playback = Playback(value)
      playbackTime = now
    case .volume:
      heardVolume = value.integer
      take(value, for: key)
    default: take(value, for: key)
    }
  }

  /// Movements are not wishes: a lamp that warms is meant to be on, a screen that moves keeps the
  /// end that it was sent to.
  private mutating func take(_ value: JSON, for key: StateKey) {
    switch (key, value.string) {
    case (.power, "warming"): values[key] = "on"
    case (.power, "cooling"): values[key] = "off"
    case (.power, "unknown"), (.position, "moving"), (.position, "stopped"): break
    case (.tray, _), (.popping, _): break
    case _ where value.isNull: values.removeValue(forKey: key)
    default: values[key] = value
    }
  }

  private mutating func acceptTuning(_ command: Command) {
    // A frequency ends the wish for a station, and the other way round.
    guard command.argument != nil else { return }
    if command.spec.settled.key == .station {
      values[.frequency] = nil
    } else {
      values.removeValue(forKey: .station)
      values[.frequency] = command.argument
    }
  }

  private mutating func acceptPlayback(
    _ command: Command, _ statuses: [Playback.Status], at now: Duration
  ) {
    guard let status = statuses.first else { return }
    let request = command.argument
    let position = playback?.position(after: now - playbackTime) ?? 0
    let item = request?["item"]?.string
    let isNew = item != nil && item != playback?.item
    playback = Playback(
      status, item: item ?? playback?.item,
      position: request?["position"]?.number ?? (isNew || status == .stopped ? 0 : position))
    playbackTime = now
  }

  // MARK: Bringing back

  /// The commands that bring back what `state`, just reported by a new process, lacks, in order.
  ///
  /// - Parameters:
  ///   - remembered: The keys that the device itself keeps; they are left as they are.
  ///   - loudestStart: The loudest volume with which the amplifier may turn on, %.
  ///   - lostAt: When contact was lost, for the position that was heard then.
  func differences(
    from state: DeviceState, role: Role, remembered: Set<StateKey>, loudestStart: Int?,
    lostAt: Duration
  ) -> [Command] {
    var steps: [(String, JSON?)] = []
    func wanted(_ key: StateKey) -> JSON? {
      guard !remembered.contains(key), let value = values[key], state[key] != value
      else { return nil }
      return value
    }
    let power = values[.power]
    if let power = wanted(.power)?.string { steps.append((power, nil)) }
    // A device that is off has nothing more to bring back.
    if power == nil || power == "on" {
      switch role {
      case .amplifier: steps += amplifierSteps(wanted, state, loudestStart)
      case .tuner: steps += tunerSteps(wanted)
      case .dvdPlayer, .cdPlayer: steps += playerSteps(wanted, state, remembered, lostAt)
      case .projector:
        if let picture = wanted(.picture) {
          steps.append((picture == "tv" ? "tvMode" : "wideScreenMode", nil))
        }
      case .lights:
        // Lights that are turned on shine fully, whatever they reported while they were off.
        let brightness = steps.isEmpty ? wanted(.brightness) : values[.brightness]
        if let brightness { steps.append(("dim", brightness)) }
      case .screen: if let end = wanted(.position)?.string { steps.append((end, nil)) }
      case .popcornPopper: break
      }
    }
    return steps.compactMap { try? Command($0.0, argument: $0.1, role: role) }
  }

  private typealias Steps = [(String, JSON?)]

  /// Silence first, the input last: nothing is heard before everything else is right.
  private func amplifierSteps(
    _ wanted: (StateKey) -> JSON?, _ state: DeviceState, _ loudestStart: Int?
  ) -> Steps {
    var steps: Steps = []
    if wanted(.muted) == true { steps.append(("mute", nil)) }
    if let mode = wanted(.mode)?.string { steps.append((mode, nil)) }
    if let volume = wanted(.volume)?.integer {
      let volume = [heardVolume, loudestStart].compactMap(\.self).reduce(volume, min)
      if state.volume != volume { steps.append(("volume", .integer(volume))) }
    }
    if wanted(.muted) == false { steps.append(("unmute", nil)) }
    if let input = wanted(.input) { steps.append(("input", input)) }
    return steps
  }

  private func tunerSteps(_ wanted: (StateKey) -> JSON?) -> Steps {
    let band = values[.band]?.string
    if values[.frequency] == nil, let station = wanted(.station) { return [("station", station)] }
    if let band, wanted(.band) != nil || wanted(.frequency) != nil {
      return [(band, values[.frequency])]
    }
    return wanted(.frequency).map { [("frequency", $0)] } ?? []
  }

  private func playerSteps(
    _ wanted: (StateKey) -> JSON?, _ state: DeviceState, _ remembered: Set<StateKey>,
    _ lostAt: Duration
  ) -> Steps {
    var steps: Steps = []
    if let audio = wanted(.audio)?.string {
      steps.append((audio == "surround" ? "surroundAudio" : "twoChannelAudio", nil))
    }
    guard !remembered.contains(.playback), let playback, let item = playback.item,
      state.playback?.item != item || state.playback?.status != playback.status
    else { return steps }
    // Playback cannot start at the end; only the player knows which item follows.
    let last = playback.duration.map { max(0, $0 - 1) } ?? .infinity
    let heard = min(playback.position(after: lostAt - playbackTime), last)
    let position = (heard * 1000).rounded() / 1000
    let play = JSON.object(["item": .string(item), "position": .number(position)])
    switch playback.status {
    case .playing, .opening: steps.append(("play", play))
    case .paused: steps += [("play", play), ("pause", nil)]
    case .stopped, .ended, .failed: break
    }
    return steps
  }
}
