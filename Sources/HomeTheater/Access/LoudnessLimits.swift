import Devices
import Synchronization

/// The volume limit of each amplifier: the limit of the person who last started sound in its room.
///
/// An amplifier of several rooms has the lowest limit of these rooms. When a person with a higher limit sets
/// the volume, the amplifier gets that limit. The next command by which a person with a lower limit starts
/// sound lowers it again.
final class LoudnessLimits: Sendable {
  private let directory: DeviceDirectory
  /// In %, by amplifier and room; `nil` for a room in which a person without a limit let sound begin.
  private let limits = Mutex<[DeviceID: [RoomID: Int?]]>([:])

  init(directory: DeviceDirectory) { self.directory = directory }

  /// Prepares the amplifiers for a command that a person is about to give: those on which it lets
  /// something be heard get the person's limit, and louder ones are turned down.
  ///
  /// - Throws: The error of an amplifier that may be heard above the limit.
  nonisolated(nonsending) func prepare(
    for command: Command, to device: any Device, by principal: Principal
  ) async throws(DeviceError) {
    if command.volume != nil { raise(to: principal.volumeLimit, on: device) }
    for amplifier in amplifiers(heardAfter: command, to: device) {
      let limit = set(principal.volumeLimit, of: rooms(device, amplifier), on: amplifier.id)
      try await amplifier.limitLoudness(to: limit)
    }
    if Task.isCancelled { throw DeviceError(.cancelled, "cancelled", device: device.id) }
  }

  /// Turns an amplifier down that a command has turned on and that is louder than its present limit.
  ///
  /// - Throws: The error of an amplifier that may be heard above the limit.
  nonisolated(nonsending) func confirm(
    _ command: Command, to device: any Device
  ) async throws(DeviceError) {
    guard command.turnsOn, let limit = limit(of: device.id) else { return }
    try await device.limitLoudness(to: limit)
  }

  /// Gives a device that takes the place of another one the limit of that.
  func apply(to device: any Device) { pass(limit(of: device.id), to: device) }

  /// The rooms for which a command counts: those of the player, else those of the amplifier.
  private func rooms(_ device: any Device, _ amplifier: any Device) -> [RoomID] {
    let plan = directory.plan
    let own = plan.rooms(of: device.id)
    let all = own.isEmpty ? plan.rooms(of: amplifier.id) : own
    return all.isEmpty ? [.standard] : all
  }

  /// Sets the limit of an activity after a restart of the controller, unless a person has let sound begin since.
  /// A louder amplifier is not turned down.
  func restore(_ limit: Int?, of activity: Activity) {
    for (source, amplifier) in amplifiers(of: activity) where self[amplifier, source] == nil {
      pass(set(limit, of: rooms(source, amplifier), on: amplifier.id), to: amplifier)
    }
  }

  /// Returns the limit in % that counts for an activity: `.some(nil)` for no limit, `nil` if no command has
  /// started sound yet. It is stored for the next start of the controller.
  func limit(of activity: Activity) -> Int?? {
    amplifiers(of: activity).lazy.compactMap { self[$1, $0] }.first
  }

  private subscript(amplifier: any Device, source: any Device) -> Int?? {
    rooms(source, amplifier).first.flatMap { room in
      limits.withLock { $0[amplifier.id]?[room] }
    }
  }

  private func amplifiers(of activity: Activity) -> [(source: any Device, any Device)] {
    let source = (activity.player ?? activity.amplifier).flatMap { directory[$0] }
    return source.map { source in amplifiers(of: source).map { (source, $0) } } ?? []
  }

  /// Removes the limits of all rooms that are not among these.
  func keep(_ rooms: Set<RoomID>) {
    limits.withLock { limits in
      for amplifier in limits.keys {
        let kept = limits[amplifier]?.filter { rooms.contains($0.key) || $0.key == .standard }
        limits[amplifier] = kept
      }
    }
    for amplifier in directory.devices(with: .volume) { apply(to: amplifier) }
  }

  /// Removes the limits of a room whose activity has ended. An amplifier keeps its last limit.
  func endRoom(_ room: RoomID) {
    let changed = limits.withLock { limits in
      limits.keys.filter { amplifier in
        limits[amplifier]?.count ?? 0 > 1 && limits[amplifier]?.removeValue(forKey: room) != nil
      }
    }
    for amplifier in changed { directory[amplifier].map { pass(limit(of: amplifier), to: $0) } }
  }

  /// Forgets amplifiers that have left the theater.
  func remove(_ amplifiers: [DeviceID]) {
    limits.withLock { limits in
      for amplifier in amplifiers { limits[amplifier] = nil }
    }
  }

  private func limit(of amplifier: DeviceID) -> Int? {
    limits.withLock { Self.lowest($0[amplifier]) }
  }

  private static func lowest(_ limits: [RoomID: Int?]?) -> Int? {
    let known: [Int] = (limits ?? [:]).values.compactMap { limit -> Int? in limit }
    return known.min()
  }

  private func pass(_ limit: Int?, to device: any Device) {
    device.facet((any LoudnessLimited).self)?.setLoudnessLimit(limit)
  }

  /// Sets the limit of rooms on an amplifier, and returns the lowest one of all its rooms.
  private func set(_ limit: Int?, of rooms: [RoomID], on amplifier: DeviceID) -> Int? {
    limits.withLock { limits in
      for room in rooms { limits[amplifier, default: [:]].updateValue(limit, forKey: room) }
      return Self.lowest(limits[amplifier])
    }
  }

  private func raise(to limit: Int?, on device: any Device) {
    let isRaised = limits.withLock { limits in
      let lower = (limits[device.id] ?? [:]).filter { _, present in
        present.map { present in limit.map { $0 > present } ?? true } ?? false
      }
      for room in lower.keys { limits[device.id]?.updateValue(limit, forKey: room) }
      return !lower.isEmpty
    }
    if isRaised { pass(self.limit(of: device.id), to: device) }
  }

  /// The amplifiers on which something may be heard after the command: those at the cables of a
  /// player, without a cable those in its rooms; for an amplifier itself.
  private func amplifiers(heardAfter command: Command, to device: any Device) -> [any Device] {
    if device.role.has(.volume) { return command.letsBeHeard ? amplifiers(of: device) : [] }
    switch ItemChange(command) {
    case .play, .skip: return amplifiers(of: device)
    case nil where device.role.has(.tuning) && command != device.role.off:
      return amplifiers(of: device)
    case .release, nil: return []
    }
  }

  /// The amplifiers at which a player, or an amplifier, is heard.
  private func amplifiers(of device: any Device) -> [any Device] {
    let plan = directory.plan
    if device.role.has(.volume) {
      return [directory[plan.lastAmplifier(from: device.id)] ?? device]
    }
    let end = plan.amplifier(of: device.id).flatMap { directory[$0] }
    if let end { return end.role.has(.volume) ? [end] : [] }
    let rooms = Set(plan.rooms(of: device.id))
    return directory.devices(with: .volume).filter { amplifier in
      guard plan.chain(from: amplifier.id) == nil else { return false }
      let others = plan.rooms(of: amplifier.id)
      return rooms.isEmpty || others.isEmpty || !rooms.isDisjoint(with: others)
    }
  }
}
