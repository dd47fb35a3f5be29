import Devices
import JSON
import Platform
import Synchronization

/// A device in memory, for tests, examples and rooms without hardware.
///
/// It accepts every command of its role and reports the effect at once. `report` changes it from
/// outside, as a person at its buttons would; `fail` makes it fail.
public final class InMemoryDevice: Device {
  private struct State {
    var present: DeviceSnapshot
    var loudness = LoudnessCap()
    var failures: [String: DeviceError] = [:]
    var readers: [AsyncStream<DeviceSnapshot>.Continuation] = []
  }

  /// The name, unique in its theater.
  public let id: DeviceID
  /// The role of the commands that it takes.
  public let role: Role
  private let items: [CatalogueItem]
  private let clock: any TheaterClock
  private let effects: @Sendable (Command, DeviceState) throws(DeviceError) -> [StateKey: JSON]
  private let state: Mutex<State>

  /// Makes a device of the role to which the commands `Typed` belong.
  ///
  /// - Parameters:
  ///   - id: The name, unique in its theater.
  ///   - items: The films, songs or stations that it can play.
  ///   - state: The values that it reports at first.
  ///   - capabilities: The abilities beyond the commands common to its role.
  ///   - clock: The clock of the readings.
  ///   - effects: Returns the values that a command changes. It gets the state, with the position of playback
  ///     at this moment. An error that it throws is the result of the command.
  public init<Typed: RoleCommand>(
    _ id: DeviceID, items: [CatalogueItem] = [], state: [StateKey: JSON],
    capabilities: Capabilities = Capabilities(), clock: any TheaterClock = SystemClock(),
    effects: @escaping @Sendable (Typed, DeviceState) throws(DeviceError) -> [StateKey: JSON]
  ) {
    self.id = id
    role = Typed.role
    self.items = items
    self.clock = clock
    let now = clock.now()
    self.state = Mutex(
      State(
        present: DeviceSnapshot(
          state: DeviceState(readings: state.mapValues { Reading($0, time: now) }),
          availability: .available, capabilities: capabilities)))
    self.effects = { (command, state) throws(DeviceError) in
      guard let typed = Typed(command) else {
        throw DeviceError(
          .unsupported, "this is a \(Typed.role.title), not a \(command.role.title)")
      }
      return try effects(typed, state)
    }
  }

  /// Makes a device that behaves like a model.
  convenience init<Model: DeviceModel>(
    _ id: DeviceID, _ model: Model, items: [CatalogueItem] = [], cables: [CableKind] = [],
    clock: any TheaterClock
  ) {
    let present = Mutex(model)
    self.init(
      id, items: items, state: model.values(at: .zero),
      capabilities: Capabilities(names: model.capabilities, cables: cables), clock: clock
    ) { (command: Model.Command, state) throws(DeviceError) in
      try present.withLock { (model) throws(DeviceError) in
        model.adopt(state)
        return try model.perform(command, at: .zero).values
      }
    }
  }

  // MARK: From outside

  /// Changes a reported value, as a person at the device's own buttons would.
  public func report(_ key: StateKey, _ value: JSON) {
    state.withLock { apply([key: value], in: &$0) }
  }

  /// Makes every command of this name throw the error; `nil` makes it work again.
  public func fail(_ command: String, with error: DeviceError?) {
    state.withLock { $0.failures[command] = error }
  }

  // MARK: Device

  private struct Loudness: LoudnessLimited {
    let device: InMemoryDevice

    func setLoudnessLimit(_ limit: Int?) {
      device.state.withLock { $0.loudness.setLimit(limit) }
    }
  }

  /// Applies the command's effect, or fails at once. It never waits.
  ///
  /// - Returns: `.observed` when the settled state was asked for and the command has one.
  /// - Throws: The error that `fail` or `effects` gives, with this device's id.
  public nonisolated(nonsending) func perform(
    _ command: Command, until: Completion
  ) async throws(DeviceError) -> Confirmation {
    let outcome = state.withLock { state -> Result<Void, DeviceError> in
      do throws(DeviceError) {
        let isStart = command.turnsOn && state.present.state.power != .on
        try carryOut(state.loudness.limited(command), in: &state)
        if isStart { keepLoudness(in: &state) }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    if case .failure(var error) = outcome {
      error.device = id
      throw error
    }
    return until == .settled && command.spec.settled != .accepted ? .observed : .accepted
  }

  public nonisolated(nonsending) func snapshot() async -> DeviceSnapshot {
    state.withLock(\.present)
  }

  public func snapshots() async -> AsyncStream<DeviceSnapshot> {
    let (stream, reader) = AsyncStream.makeStream(
      of: DeviceSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      reader.yield(state.present)
      state.readers.append(reader)
    }
    return stream
  }

  /// A player or tuner has a catalogue, an amplifier a limit of its loudness.
  public func facet<Facet>(_ type: Facet.Type) -> Facet? {
    if let facet = self as? Facet { return facet }
    if role.has(.volume) { return Loudness(device: self) as? Facet }
    return role.category == nil ? nil : InMemoryCatalogue(items: items) as? Facet
  }

  // MARK: State

  private func carryOut(_ command: Command, in state: inout State) throws(DeviceError) {
    if let failure = state.failures[command.spec.name] { throw failure }
    apply(try effects(command, current(state.present.state)), in: &state)
  }

  /// Turns the device down that has turned on above its limit, or mutes it.
  private func keepLoudness(in state: inout State) {
    state.loudness.recordStart()
    guard
      let lowering = state.loudness.afterReport(
        in: state.present.state, role: role, at: clock.now())
    else { return }
    do throws(DeviceError) {
      try carryOut(lowering, in: &state)
    } catch {
      if let silence = state.loudness.silence(role: role) { try? carryOut(silence, in: &state) }
    }
  }

  /// The state with the present position of playback.
  private func current(_ state: DeviceState) -> DeviceState {
    guard let reading = state.readings[.playback], var playback = state.playback else {
      return state
    }
    let now = clock.now()
    playback.position = playback.position(after: now - reading.time)
    var current = state
    current.update(Reading(playback.json, time: now), for: .playback)
    return current
  }

  private func apply(_ values: [StateKey: JSON], in state: inout State) {
    let now = clock.now()
    for (key, value) in values { state.present.state.update(Reading(value, time: now), for: key) }
    state.readers.removeAll { reader in
      if case .terminated = reader.yield(state.present) { true } else { false }
    }
  }
}
