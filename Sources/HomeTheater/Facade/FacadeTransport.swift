import Devices
import JSON
import Scenes

extension HomeTheaterFacade {
  /// Holds the film or song still.
  @discardableResult
  package func pause(by principal: Principal) async throws(TheaterError) -> Confirmation {
    try await tellPlayer("pause", by: principal)
  }
  /// Lets it go on.
  @discardableResult
  package func resume(by principal: Principal) async throws(TheaterError) -> Confirmation {
    try await tellPlayer("play", by: principal)
  }
  /// Goes to the next track.
  @discardableResult
  package func next(by principal: Principal) async throws(TheaterError) -> Confirmation {
    try await tellPlayer("next", by: principal)
  }
  /// Goes to the track before.
  @discardableResult
  package func previous(by principal: Principal) async throws(TheaterError) -> Confirmation {
    try await tellPlayer("previous", by: principal)
  }

  /// Goes to a place in what plays: `seconds` from the beginning, or from where it is now.
  @discardableResult
  package func seek(
    _ seconds: Double, isRelative: Bool, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try checkStage(by: principal)
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
    let confirmation = try await tell(player, "seek", .number(target), by: principal)
    await catchUp()
    return confirmation
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
  ///
  /// - Throws: `forbidden` for a volume above the person's limit. Steps towards the limit end there.
  @discardableResult
  package func changeVolume(
    _ change: VolumeChange, by principal: Principal
  ) async throws(TheaterError) -> VolumeOutcome {
    try checkStage(by: principal)
    let amplifier = try amplifier()
    switch change {
    case .to(let volume):
      return try await set(amplifier, volume: volume, by: principal)
    case .by(let points):
      guard let now = await amplifier.snapshot().state.volume else {
        throw TheaterError(
          .notNow, "the volume is not known", hint: "Set it: theater volume 40",
          device: amplifier.id)
      }
      let limit = principal.volumeLimit ?? 100
      if points > 0, now >= limit {
        try checkVolume(limit + 1, of: amplifier.id, by: principal)
      }
      let target = min(max(0, now), 100) + min(max(-100, points), 100)
      return try await set(amplifier, volume: min(max(0, target), limit), by: principal)
    case .mute: return try await set(amplifier, isMuted: true, by: principal)
    case .unmute: return try await unmute(amplifier, by: principal)
    case .toggleMute:
      let isMuted = await amplifier.snapshot().state.isMuted ?? false
      return isMuted
        ? try await unmute(amplifier, by: principal)
        : try await set(amplifier, isMuted: true, by: principal)
    }
  }

  private func set(
    _ amplifier: any Device, volume: Int, by principal: Principal
  ) async throws(TheaterError) -> VolumeOutcome {
    let confirmation = try await tell(
      amplifier, "volume", .integer(volume), by: principal)
    return VolumeOutcome(volume: volume, confirmation: confirmation)
  }

  private func set(
    _ amplifier: any Device, isMuted: Bool, by principal: Principal
  ) async throws(TheaterError) -> VolumeOutcome {
    let confirmation = try await tell(
      amplifier, isMuted ? "mute" : "unmute", by: principal)
    return VolumeOutcome(isMuted: isMuted, confirmation: confirmation)
  }

  /// Gives one device one command.
  package func perform(
    _ json: JSON, on id: DeviceID, until: Completion, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    guard let device = devices[id] else {
      throw unknown("device", id.name, devices.keys.map(\.name))
    }
    let command = try command(json, for: device)
    try checkPermission(command, for: device, by: principal)
    return try await perform(command, on: device, until: until, by: principal)
  }

  private func command(_ json: JSON, for device: any Device) throws(TheaterError) -> Command {
    do {
      return try Command(json, role: device.role)
    } catch {
      throw TheaterError(.invalid, error.message, hint: error.hint, device: device.id)
    }
  }

  private func perform(
    _ command: Command, on device: any Device, until: Completion, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try await checkLimits(command, for: device, by: principal)
    let step = PlannedStep(
      device: device, command: command, until: until, onFailure: .stop, always: true)
    do {
      return try await perform(step, by: principal)
    } catch {
      throw TheaterError(error, device: device.id)
    }
  }

  /// Carries out a step whose limits were checked, and notes whose age limit counts from then on.
  func perform(_ step: PlannedStep, by principal: Principal) async throws(DeviceError)
    -> Confirmation
  {
    let player = step.device.id
    let before = watches[player]
    let choice = noteChoice(step.command, on: player, by: principal)
    do {
      return try await step.device.perform(step.command, until: step.until)
    } catch {
      if let choice { revert(choice, on: player, to: before, after: error) }
      throw error
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

  private func tellPlayer(_ name: String, by principal: Principal)
    async throws(TheaterError) -> Confirmation
  {
    try checkStage(by: principal)
    let confirmation = try await tell(try player(), name, by: principal)
    await catchUp()
    return confirmation
  }

  /// Lets the speakers sound again, at the person's limit where they were louder before.
  private func unmute(_ amplifier: any Device, by principal: Principal)
    async throws(TheaterError) -> VolumeOutcome
  {
    guard let limit = principal.volumeLimit,
      await amplifier.snapshot().state.volume.map({ $0 > limit }) ?? true
    else { return try await set(amplifier, isMuted: false, by: principal) }
    _ = try await set(amplifier, volume: limit, by: principal)
    var outcome = try await set(amplifier, isMuted: false, by: principal)
    outcome.volume = limit
    return outcome
  }

  /// Gives a device the command of which an operation consists: a person who may do the operation
  /// needs no permission for the command itself, but all limits count.
  private func tell(
    _ device: any Device, _ name: String, _ argument: JSON? = nil, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    let json = argument.map { .object([name: $0]) } ?? JSON.string(name)
    return try await perform(
      try command(json, for: device), on: device, until: .settled, by: principal)
  }
}
