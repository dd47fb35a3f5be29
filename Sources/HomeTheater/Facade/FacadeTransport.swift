import Devices
import JSON

extension HomeTheaterFacade {
  /// Holds the film or song still.
  @discardableResult
  package func pause() async throws(TheaterError) -> Confirmation {
    try await tellPlayer("pause")
  }
  /// Lets it go on.
  @discardableResult
  package func resume() async throws(TheaterError) -> Confirmation {
    try await tellPlayer("play")
  }
  /// Goes to the next track.
  @discardableResult
  package func next() async throws(TheaterError) -> Confirmation {
    try await tellPlayer("next")
  }
  /// Goes to the track before.
  @discardableResult
  package func previous() async throws(TheaterError) -> Confirmation {
    try await tellPlayer("previous")
  }

  /// Goes to a place in what plays: `seconds` from the beginning, or from where it is now.
  @discardableResult
  package func seek(_ seconds: Double, isRelative: Bool) async throws(TheaterError)
    -> Confirmation
  {
    let player = try player()
    var target = seconds
    if isRelative {
      let snapshot = await player.snapshot()
      guard let reading = snapshot.state.readings[.playback],
        let playback = snapshot.state.playback
      else {
        throw TheaterError(
          .notNow, "it is not known where \(player.id) is", hint: "Seek to a place: 12:30.",
          device: player.id)
      }
      target = playback.position(after: clock.now() - reading.time) + seconds
      target = min(max(0, target), playback.duration ?? .infinity)
    }
    return try await tell(player, "seek", .number(target))
  }

  /// How a volume is asked for.
  package enum VolumeChange: Sendable, Hashable {
    /// 0 to 100 %.
    case to(Int)
    /// By so many points, up or down, within 0 to 100.
    case by(Int)
    case mute, unmute, toggleMute
  }

  /// What the amplifier was brought to.
  package struct VolumeOutcome: Sendable, Hashable {
    /// 0 to 100 %, where that was changed.
    package var volume: Int?
    /// Where that was changed.
    package var isMuted: Bool?
    package var confirmation: Confirmation
  }

  /// Changes the volume of the amplifier of what is on, or of the only one.
  @discardableResult
  package func changeVolume(_ change: VolumeChange) async throws(TheaterError) -> VolumeOutcome {
    let amplifier = try amplifier()
    switch change {
    case .to(let volume): return try await set(amplifier, volume: volume)
    case .by(let points):
      guard let now = await amplifier.snapshot().state.volume else {
        throw TheaterError(
          .notNow, "the volume is not known", hint: "Set it: theater volume 40",
          device: amplifier.id)
      }
      let target = min(max(0, now), 100) + min(max(-100, points), 100)
      return try await set(amplifier, volume: min(max(0, target), 100))
    case .mute: return try await set(amplifier, isMuted: true)
    case .unmute: return try await set(amplifier, isMuted: false)
    case .toggleMute:
      let isMuted = await amplifier.snapshot().state.isMuted ?? false
      return try await set(amplifier, isMuted: !isMuted)
    }
  }

  private func set(_ amplifier: any Device, volume: Int) async throws(TheaterError)
    -> VolumeOutcome
  {
    let confirmation = try await tell(amplifier, "volume", .integer(volume))
    return VolumeOutcome(volume: volume, confirmation: confirmation)
  }

  private func set(_ amplifier: any Device, isMuted: Bool) async throws(TheaterError)
    -> VolumeOutcome
  {
    let confirmation = try await tell(amplifier, isMuted ? "mute" : "unmute")
    return VolumeOutcome(isMuted: isMuted, confirmation: confirmation)
  }

  /// Gives one device one command.
  package func perform(_ json: JSON, on id: DeviceID, until: Completion)
    async throws(TheaterError) -> Confirmation
  {
    guard let device = devices[id] else {
      throw unknown("device", id.name, devices.keys.map(\.name))
    }
    let command: Command
    do {
      command = try Command(json, role: device.role)
    } catch {
      throw TheaterError(.invalid, error.message, hint: error.hint, device: id)
    }
    do {
      return try await device.perform(command, until: until)
    } catch {
      throw TheaterError(error, device: id)
    }
  }

  // MARK: Whom to tell

  private func player() throws(TheaterError) -> any Device {
    guard let name = stage.activity?.player, let player = devices[name] else {
      throw TheaterError(.notNow, "nothing is playing", hint: "Begin with: theater watch TITLE")
    }
    return player
  }

  private func amplifier() throws(TheaterError) -> any Device {
    let name =
      stage.activity?.amplifier
      ?? devices.values.filter { $0.role == .amplifier }.map(\.id).min()
    guard let name, let amplifier = devices[name] else {
      throw TheaterError(
        .notFound, "there is no amplifier", hint: "Add one to \"devices\" in devices.json.")
    }
    return amplifier
  }

  private func tellPlayer(_ name: String) async throws(TheaterError) -> Confirmation {
    try await tell(try player(), name)
  }

  private func tell(_ device: any Device, _ name: String, _ argument: JSON? = nil)
    async throws(TheaterError) -> Confirmation
  {
    try await perform(
      argument.map { .object([name: $0]) } ?? .string(name), on: device.id, until: .settled)
  }
}
