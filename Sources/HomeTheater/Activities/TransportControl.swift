import Devices
import JSON
import Platform
import Scenes

/// A change of the volume.
public enum VolumeChange: Sendable, Hashable {
  /// To a volume of 0 to 100 %.
  case to(Int)
  /// By so many points, up or down. The result stays within 0 to 100 %.
  case by(Int)
  case mute, unmute, toggleMute
}

/// The result of a change of the volume.
public struct VolumeOutcome: Sendable, Hashable {
  /// 0 to 100 %; `nil` if only the muting was changed.
  public var volume: Int?
  /// `nil` if only the volume was changed.
  public var isMuted: Bool?
  /// Whether the amplifier reported the change.
  public var confirmation: Confirmation
}

/// Controls the players and the amplifiers of the activities, and single devices.
@TheaterActor
final class TransportControl {
  private let directory: DeviceDirectory
  private let house: House
  private let activities: ActivityController
  private let players: PlayerFollower
  private let policy: AccessPolicy
  private let engine: SceneEngine
  private let clock: any TheaterClock
  private var positions = PendingTargets<Double>()
  private var volumes = PendingTargets<Int>()
  private var mutes = PendingTargets<Bool>()

  nonisolated init(
    house: House, directory: DeviceDirectory, activities: ActivityController,
    players: PlayerFollower, policy: AccessPolicy, engine: SceneEngine, clock: any TheaterClock
  ) {
    self.house = house
    self.players = players
    self.directory = directory
    self.activities = activities
    self.policy = policy
    self.engine = engine
    self.clock = clock
  }

  // MARK: The player

  /// Sends a command without an argument to the player of the activity of a room.
  func sendToPlayer(
    _ name: String, in room: RoomID, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try checkControl(of: room, by: principal)
    let player = try player(in: room)
    // A tuner has no command to resume, but it can be told its station again.
    if name == "play", let retry = await players.retryCommand(on: player) {
      let confirmation = try await perform(
        retry, on: player, until: .settled, by: principal, isRetry: true)
      await activities.update()
      return confirmation
    }
    return try await sendToPlayer(player, name, by: principal)
  }

  /// Goes to a position in the current item, in seconds from its start or from the present position.
  func seek(
    _ seconds: Double, isRelative: Bool, in room: RoomID, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try checkControl(of: room, by: principal)
    let player = try player(in: room)
    guard isRelative else {
      return try await sendToPlayer(player, "seek", .number(seconds), by: principal)
    }
    let state = await player.snapshot().state
    guard let reading = state.readings[.playback], let playback = state.playback else {
      throw TheaterError(
        .notNow, "the position of \(player.id) is not known", hint: "Seek to a position: 12:30.",
        device: player.id)
    }
    let present = positions[player.id] ?? playback.position(after: clock.now() - reading.time)
    let target = min(max(0, present + seconds), playback.duration ?? .infinity)
    let number = positions.begin(target, for: player.id)
    defer { positions.end(number, for: player.id) }
    return try await sendToPlayer(player, "seek", .number(target), by: principal)
  }

  private func sendToPlayer(
    _ player: any Device, _ name: String, _ argument: JSON? = nil, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    let confirmation = try await send(to: player, name, argument, by: principal)
    await activities.update()
    return confirmation
  }

  private func player(in room: RoomID) throws(TheaterError) -> any Device {
    guard let id = house[room].session.activity?.player, let player = directory[id] else {
      var error = activities.nothingIsOn(in: room)
      error.message = "nothing is playing"
      throw error
    }
    return player
  }

  private func checkControl(of room: RoomID, by principal: Principal) throws(TheaterError) {
    try policy.checkControl(of: [room], in: house.state, by: principal)
  }

  // MARK: The volume

  /// Changes the volume of the amplifier of a room's activity, or of its first one while nothing is on.
  ///
  /// - Throws: `forbidden` for a volume above the principal's limit, and for an increase of a volume that has reached
  ///   the limit. Any other increase stops at the limit.
  func changeVolume(
    _ change: VolumeChange, in room: RoomID, by principal: Principal
  ) async throws(TheaterError) -> VolumeOutcome {
    try checkControl(of: room, by: principal)
    let amplifier = try amplifier(in: room)
    switch change {
    case .to(let volume): return try await setVolume(volume, of: amplifier, by: principal)
    case .by(let points): return try await changeVolume(by: points, of: amplifier, by: principal)
    case .mute: return try await setMuted(true, of: amplifier, by: principal)
    case .unmute: return try await setMuted(false, of: amplifier, by: principal)
    case .toggleMute: return try await toggleMute(of: amplifier, by: principal)
    }
  }

  private func changeVolume(
    by points: Int, of amplifier: any Device, by principal: Principal
  ) async throws(TheaterError) -> VolumeOutcome {
    let reported = await amplifier.snapshot().state.volume
    guard let now = volumes[amplifier.id] ?? reported else {
      throw TheaterError(
        .notNow, "the volume is not known", hint: "Set it to a percentage first.",
        device: amplifier.id)
    }
    let limit = principal.volumeLimit ?? 100
    if points > 0, now >= limit {
      // Throws the error for a volume above the limit; without a limit of the principal it throws nothing.
      try policy.checkVolume(limit + 1, of: amplifier.id, by: principal)
    }
    let wanted = min(max(0, now), 100) + min(max(-100, points), 100)
    let target = min(max(0, wanted), limit)
    let number = volumes.begin(target, for: amplifier.id)
    defer { volumes.end(number, for: amplifier.id) }
    return try await setVolume(target, of: amplifier, by: principal)
  }

  private func toggleMute(
    of amplifier: any Device, by principal: Principal
  ) async throws(TheaterError) -> VolumeOutcome {
    let reported = await amplifier.snapshot().state.isMuted ?? false
    let isMuted = mutes[amplifier.id] ?? reported
    let number = mutes.begin(!isMuted, for: amplifier.id)
    defer { mutes.end(number, for: amplifier.id) }
    return try await setMuted(!isMuted, of: amplifier, by: principal)
  }

  private func setVolume(_ volume: Int, of amplifier: any Device, by principal: Principal)
    async throws(TheaterError) -> VolumeOutcome
  {
    let confirmation = try await send(to: amplifier, "volume", .integer(volume), by: principal)
    return VolumeOutcome(volume: volume, confirmation: confirmation)
  }

  /// - Returns: With a volume if the amplifier was turned down to the principal's limit first.
  private func setMuted(_ isMuted: Bool, of amplifier: any Device, by principal: Principal)
    async throws(TheaterError) -> VolumeOutcome
  {
    let limit = principal.volumeLimit
    let isLowered =
      if !isMuted, let limit { await amplifier.mayBeHeard(above: limit) } else { false }
    let confirmation = try await send(to: amplifier, isMuted ? "mute" : "unmute", by: principal)
    return VolumeOutcome(
      volume: isLowered ? limit : nil, isMuted: isMuted, confirmation: confirmation)
  }

  private func amplifier(in room: RoomID) throws(TheaterError) -> any Device {
    let id = house[room].session.activity?.amplifier
    let plan = directory.plan
    let all = directory.devices(with: .volume).map(\.id)
    let own =
      all.first { plan.rooms(of: $0).contains(room) } ?? all.first { plan.rooms(of: $0).isEmpty }
    guard let amplifier = (id ?? own.map(plan.lastAmplifier)).flatMap({ directory[$0] }) else {
      throw TheaterError(
        .notFound, "there is no amplifier", hint: "Add one to \"devices\" in devices.json.")
    }
    return amplifier
  }

  // MARK: Single devices

  /// Gives a device a command.
  ///
  /// - Parameter json: `"on"` or `{"dim": 40}`.
  func perform(
    _ json: JSON, on id: DeviceID, until: Completion, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    guard let device = directory[id] else {
      throw .unknown("device", id.name, directory.devices.keys.map(\.name))
    }
    let command = try command(json, for: device)
    try policy.checkPermission(command, for: device, by: principal)
    let retry = await retry(for: command, on: device)
    return try await perform(
      retry ?? command, on: device, until: until, by: principal, isRetry: retry != nil)
  }

  /// Gives a device a command.
  ///
  /// - Throws: `.refused` if the principal lacks the permission or exceeds a limit.
  func perform(
    _ command: Command, on id: DeviceID, until: Completion, by principal: Principal
  ) async throws(DeviceError) -> Confirmation {
    guard let device = directory[id] else {
      throw DeviceError(
        .unavailable, "the theater has no such device",
        hint: "Add one to \"devices\" in devices.json.", device: id)
    }
    let retry = await retry(for: command, on: device)
    let command = retry ?? command
    do {
      try policy.checkPermission(command, for: device, by: principal)
      try await prepare(command, for: device, by: principal)
    } catch {
      guard error.code != .cancelled else {
        throw DeviceError(.cancelled, error.message, hint: error.hint, device: id)
      }
      throw DeviceError(.refused, error.message, hint: error.hint, device: id)
    }
    return try await send(
      command, to: device, until: until, by: principal, isRetry: retry != nil)
  }

  /// Returns the command that tries the current item again, in place of a `play` that names none; `nil` where the
  /// player goes on by itself.
  private func retry(for command: Command, on device: any Device) async -> Command? {
    guard command.spec.effect == .plays, command.argument == nil else { return nil }
    return await players.retryCommand(on: device)
  }

  /// Sends a device a command whose limits are checked.
  private func send(
    _ command: Command, to device: any Device, until: Completion, by principal: Principal,
    isRetry: Bool
  ) async throws(DeviceError) -> Confirmation {
    engine.recordChoice(command, on: device.id)
    if isRetry { activities.recordRetry(on: device.id) }
    let confirmation: Confirmation
    do {
      confirmation = try await engine.send(
        command, to: device, until: until, by: principal, resumes: isRetry)
    } catch {
      engine.withdrawChoice(command, on: device.id, after: error)
      throw error
    }
    if command.spec.effect == .releases || command == device.role.off {
      activities.recordStop(of: device.id)
    }
    // The command may have changed a limit.
    for room in house.state.usedRooms { house.store(room) }
    return confirmation
  }

  /// Gives a device the command that carries out an operation. A principal who may do the operation
  /// needs no permission for the command itself; all limits apply.
  private func send(
    to device: any Device, _ name: String, _ argument: JSON? = nil, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    let json = argument.map { .object([name: $0]) } ?? JSON.string(name)
    return try await perform(
      try command(json, for: device), on: device, until: .settled, by: principal)
  }

  /// - Parameter isRetry: Whether the command tries the item of a stuck player again.
  private func perform(
    _ command: Command, on device: any Device, until: Completion, by principal: Principal,
    isRetry: Bool = false
  ) async throws(TheaterError) -> Confirmation {
    try await prepare(command, for: device, by: principal)
    do {
      return try await send(
        command, to: device, until: until, by: principal, isRetry: isRetry)
    } catch {
      throw TheaterError(error, device: device.id)
    }
  }

  /// Checks the limits of a command, and turns the amplifiers down to the principal's limit before a command that lets
  /// a player be heard.
  ///
  /// - Throws: `forbidden` for a command above a limit; `cancelled` if a later command has silenced the player while
  ///   the amplifiers were waited for.
  private func prepare(
    _ command: Command, for device: any Device, by principal: Principal
  ) async throws(TheaterError) {
    try policy.checkControl(of: device.id, in: house.state, by: principal)
    try checkInput(of: command, for: device)
    // Counted before the first wait, so that the order of the calls decides.
    engine.silencings.record(command, for: device.id)
    let silencings = engine.silencings.count(for: device.id)
    // The device itself is asked: its latest report may not have arrived here yet.
    let state = await device.snapshot().state
    try policy.checkLimits(
      of: command, for: device.id, in: state, of: house.state, by: principal)
    do {
      try await engine.loudness.prepare(for: command, to: device, by: principal)
    } catch {
      throw TheaterError(error, device: device.id)
    }
    guard principal.volumeLimit != nil, command.letsBeHeard || ItemChange(command) != nil else {
      return
    }
    // The session may have changed while the amplifier was waited for.
    try policy.checkLimits(
      of: command, for: device.id, in: await device.snapshot().state, of: house.state,
      by: principal)
    // A player that seeks stays paused, and an amplifier that is on stays on.
    if command.spec.effect != .seeks { try requireNoSilencing(of: device, since: silencings) }
  }

  /// Throws `invalid` for an input that the amplifier does not have.
  private func checkInput(
    of command: Command, for amplifier: any Device
  ) throws(TheaterError) {
    let names = directory.description(of: amplifier).inputs.map(\.plan.name)
    guard command.choosesInput, let input = command.argument?.string, !names.isEmpty,
      !names.contains(input)
    else { return }
    throw TheaterError(
      .invalid, "\(amplifier.id) has no input \"\(input.quotation)\"",
      hint: nearest(to: input, in: names).map { "Did you mean \"\($0)\"?" }
        ?? "There is: \(listed(names)). Add it to the option \"inputs\", or to \"cables\".",
      device: amplifier.id)
  }

  /// Throws `cancelled` if a command has silenced the device since `count` such commands.
  private func requireNoSilencing(of device: any Device, since count: Int) throws(TheaterError) {
    guard engine.silencings.count(for: device.id) == count else {
      throw TheaterError(.cancelled, "a newer request replaced this one", device: device.id)
    }
  }

  private func command(_ json: JSON, for device: any Device) throws(TheaterError) -> Command {
    do {
      return try Command(json, role: device.role)
    } catch {
      throw TheaterError(.invalid, error.message, hint: error.hint, device: device.id)
    }
  }
}

/// The targets of relative changes that are still on their way. The next change of a device starts from the pending
/// target, because the value that the device reports may be older.
private struct PendingTargets<Value> {
  private var targets: [DeviceID: (value: Value, number: Int)] = [:]
  private var count = 0

  /// The newest value on its way to a device; `nil` without any.
  subscript(id: DeviceID) -> Value? { targets[id]?.value }

  /// Records the value of a new change, and returns the number of the change.
  mutating func begin(_ value: Value, for id: DeviceID) -> Int {
    count += 1
    targets[id] = (value, count)
    return count
  }

  /// Removes the value of a change that has ended, unless there is a newer one.
  mutating func end(_ number: Int, for id: DeviceID) {
    if targets[id]?.number == number { targets[id] = nil }
  }
}
