/// The facet of a device whose loudness can be limited: an amplifier.
public protocol LoudnessLimited: Sendable {
  /// Sets the highest volume at which the device may be heard when it turns on or starts anew, in place of the earlier
  /// one. No later command sets a volume above it. A device that is louder at present stays as it is.
  ///
  /// - Parameter limit: 0 to 100 %; `nil` for no limit.
  func setLoudnessLimit(_ limit: Int?)
}

/// The highest volume at which an amplifier may be heard, and the commands that keep to it.
///
/// A volume that a person sets at the amplifier itself may be above the limit: the controller shows it and does not
/// change it. The volume with which an amplifier turns on is lowered to the limit:
/// - before `on`, if the amplifier accepts a volume while it is off;
/// - with the first command after `on`, unless a volume within the limit is reported by then;
/// - after each report of a higher volume, until `startTime` after it has turned on.
package struct LoudnessCap: Sendable, Hashable {
  /// How long after it is on an amplifier may report the volume with which it has started.
  package static let startTime = Duration.seconds(5)
  /// The most commands of one start. Gear that stays too loud after them is muted.
  package static let mostCorrections = 3

  private enum Phase: Sendable, Hashable {
    /// It has been on for `startTime`, or is off: a person has set its volume.
    case settled
    /// It was told to turn on, or its plugin has started anew.
    case starting
    /// It reports that it is on, since this time.
    case on(since: Duration)
  }

  /// 0 to 100 %; `nil` for no limit.
  package private(set) var limit: Int?
  private var phase = Phase.settled
  private var corrections = 0
  /// Whether the volume was reported since the device was told to turn on.
  private var isVolumeReported = false

  package init(limit: Int? = nil) { self.limit = limit }

  /// Sets the limit, 0 to 100 %; `nil` for none.
  package mutating func setLimit(_ limit: Int?) { self.limit = limit }

  /// The command with a volume within the limit; any other command stays as it is.
  package func limited(_ command: Command) -> Command {
    limit.map { command.withVolume(atMost: $0) } ?? command
  }

  /// The command that lowers a louder or unknown volume; `nil` where none is needed.
  ///
  /// - Parameter state: The state of the device. Its power does not matter.
  package func lowering(in state: DeviceState, role: Role) -> Command? {
    guard let limit, state.volume.map({ $0 > limit }) ?? true else { return nil }
    return role.volumeCommand(limit)
  }

  /// Records that the device turns on, or that its plugin has started anew. The volume that it
  /// reports next was not set by a person.
  package mutating func recordStart() {
    phase = .starting
    corrections = 0
    isVolumeReported = false
  }

  /// The command that must follow an `on` that the device has accepted; `nil` where none is needed.
  ///
  /// An amplifier that has not reported its volume since `on` gets the one that it had, within the limit.
  package mutating func afterTurningOn(in state: DeviceState, role: Role) -> Command? {
    guard let limit, phase != .settled else { return nil }
    if isVolumeReported { return correct(with: lowering(in: state, role: role), role: role) }
    return correct(with: role.volumeCommand(min(limit, state.volume ?? limit)), role: role)
  }

  /// The command that must follow a report of the power or of the volume; `nil` where none is needed.
  ///
  /// - Parameters:
  ///   - isVolumeReported: Whether the report contains the volume.
  ///   - isCorrecting: Whether an earlier correction is on its way. Then there is no further one.
  package mutating func afterReport(
    in state: DeviceState, isVolumeReported: Bool = true, isCorrecting: Bool = false, role: Role,
    at now: Duration
  ) -> Command? {
    if isVolumeReported { self.isVolumeReported = true }
    // An amplifier that reports no power counts as on.
    if phase == .starting, state.power == .on || state.readings[.power] == nil {
      phase = .on(since: now)
    }
    switch phase {
    case .settled: return nil
    case .on(let since) where now > since + Self.startTime:
      phase = .settled
      return nil
    case .starting, .on: break
    }
    guard !isCorrecting, state.power != .off, state.volume != nil else { return nil }
    return correct(with: lowering(in: state, role: role), role: role)
  }

  /// The command that silences a device which has refused to be turned down; `nil` if it has none.
  package func silence(role: Role) -> Command? { role.muteCommand }

  private mutating func correct(with lowering: Command?, role: Role) -> Command? {
    guard let lowering else { return nil }
    corrections += 1
    guard corrections > Self.mostCorrections else { return lowering }
    phase = .settled
    return silence(role: role)
  }
}

extension Device {
  /// Whether the device may be heard at a volume above the limit, as far as its reports tell.
  package nonisolated(nonsending) func mayBeHeard(above limit: Int) async -> Bool {
    let snapshot = await snapshot()
    return snapshot.availability == .available && snapshot.state.power != .off
      && LoudnessCap(limit: limit).lowering(in: snapshot.state, role: role) != nil
  }

  /// Limits the loudness of the device, and turns it down if it may be louder at present.
  ///
  /// - Parameter limit: 0 to 100 %; `nil` for no limit.
  /// - Throws: The error of a device that may be heard above the limit all the same.
  package nonisolated(nonsending) func limitLoudness(to limit: Int?) async throws(DeviceError) {
    facet((any LoudnessLimited).self)?.setLoudnessLimit(limit)
    guard let limit, let lowering = role.volumeCommand(limit), await mayBeHeard(above: limit)
    else { return }
    do {
      try await perform(lowering, until: .accepted)
    } catch {
      if await mayBeHeard(above: limit) { throw error }
    }
  }
}
