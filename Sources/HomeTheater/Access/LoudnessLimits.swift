import Devices
import Synchronization

/// The volume limit of each amplifier: that of the person who last let sound begin.
///
/// The limit of an amplifier that a person with a higher limit sets louder rises to theirs. The next
/// command by which a limited person lets something be heard lowers it again.
final class LoudnessLimits: Sendable {
  private let directory: DeviceDirectory
  /// In %. An amplifier without an entry has no limit.
  private let limits = Mutex<[DeviceID: Int]>([:])

  init(directory: DeviceDirectory) { self.directory = directory }

  /// Prepares the amplifiers for a command that a person is about to give: those on which it lets something be heard get
  /// the person's limit, and louder ones are turned down.
  ///
  /// - Throws: The error of an amplifier that may be heard above the limit.
  nonisolated(nonsending) func prepare(
    for command: Command, to device: any Device, by principal: Principal
  ) async throws(DeviceError) {
    if command.volume != nil { raise(to: principal.volumeLimit, on: device) }
    for amplifier in amplifiers(heardAfter: command, to: device) {
      set(principal.volumeLimit, on: amplifier.id)
      try await amplifier.limitLoudness(to: principal.volumeLimit)
    }
    if Task.isCancelled { throw DeviceError(.cancelled, "cancelled", device: device.id) }
  }

  /// Turns an amplifier down that a command has turned on and that is louder than the person's limit.
  ///
  /// - Throws: The error of an amplifier that may be heard above the limit.
  nonisolated(nonsending) func confirm(
    _ command: Command, to device: any Device, by principal: Principal
  ) async throws(DeviceError) {
    guard command.turnsOn, let limit = principal.volumeLimit else { return }
    try await device.limitLoudness(to: limit)
  }

  /// Gives a device that takes the place of another one the limit of that.
  func apply(to device: any Device) {
    guard let facet = device.facet((any LoudnessLimited).self) else { return }
    facet.setLoudnessLimit(limits.withLock { $0[device.id] })
  }

  /// Forgets amplifiers that have left the theater.
  func remove(_ amplifiers: [DeviceID]) {
    limits.withLock { limits in
      for amplifier in amplifiers { limits[amplifier] = nil }
    }
  }

  private func set(_ limit: Int?, on amplifier: DeviceID) {
    limits.withLock { $0[amplifier] = limit }
  }

  private func raise(to limit: Int?, on device: any Device) {
    let isRaised = limits.withLock { limits in
      guard let present = limits[device.id], limit.map({ $0 > present }) ?? true else {
        return false
      }
      limits[device.id] = limit
      return true
    }
    if isRaised { device.facet((any LoudnessLimited).self)?.setLoudnessLimit(limit) }
  }

  /// The amplifiers on which something may be heard after the command: those at the cables of a player, without a cable
  /// those in its rooms; for an amplifier itself.
  private func amplifiers(heardAfter command: Command, to device: any Device) -> [any Device] {
    if device.role.has(.volume) { return command.letsBeHeard ? [device] : [] }
    switch ItemChange(command) {
    case .play, .skip: break
    case nil where device.role.has(.tuning): break
    case .release, nil: return []
    }
    let plan = directory.plan
    let ends = plan.cables.filter { $0.from == device.id }.compactMap { directory[$0.to] }
    guard ends.isEmpty else { return ends.filter { $0.role.has(.volume) } }
    let rooms = Set(plan.rooms(of: device.id))
    return directory.devices(with: .volume).filter { amplifier in
      let others = plan.rooms(of: amplifier.id)
      return rooms.isEmpty || others.isEmpty || !rooms.isDisjoint(with: others)
    }
  }
}
