import Devices
import JSON
import Platform
import PluginKit
import Synchronization

/// A radio with simulated stations, and noise between them.
final class TunerSimulation: PlayerDevice {
  private let simulation: Simulation
  private let timer: DeadlineTimer
  private let state: Mutex<State>
  private let output = Mutex<CableOutput?>(nil)
  /// Held during each report, so that reports are sent in the order of their states.
  private let reporting = Mutex(())

  private struct State {
    /// Rises with each change of the sound.
    var epoch = 0
    var power = Power.off
    var tuning: Tuning
    /// When the current sound began.
    var since = Duration.zero
    var nextAnchor = Duration.zero
  }
  private static let anchorInterval = Duration.seconds(5)

  init(_ simulation: Simulation) throws(DeviceError) {
    self.simulation = simulation
    timer = DeadlineTimer(simulation.clock)
    let stations = try simulation.options.entries(
      "stations", expected: "an object such as {\"name\": \"Lantern Radio\", \"fm\": 98.5}",
      SimulatedStation.init)
    state = Mutex(State(tuning: Tuning(stations ?? SimulatedStation.demoStations)))
  }

  func open() async throws(DeviceError) -> Capabilities {
    let state = state.withLock { $0 }
    simulation.report(values(of: state, at: simulation.clock.now()))
    timer.start { self.tick($0) }
    return simulation.capabilities(cables: [.pcm])
  }

  func close() async {
    await timer.stop()
    let output = output.withLock { output in
      defer { output = nil }
      return output
    }
    await output?.close()
  }

  func perform(_ command: TunerCommand) async throws(DeviceError) {
    switch command {
    case .on: await change { $0.power = .on }
    case .off: await change { $0.power = .off }
    case .am(let frequency): try await tune(.am, to: frequency)
    case .fm(let frequency): try await tune(.fm, to: frequency)
    case .frequency(let frequency): try await tune(state.withLock(\.tuning.band), to: frequency)
    case .station(let name): try await tune(toStation: name)
    }
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    state.withLock(\.tuning.stations).map {
      CatalogueItem(id: $0.name, title: $0.name, format: $0.band.rawValue)
    }
  }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    if let output = output.withLock({ $0 }) { return try await output.plug(into: socket) }
    let output = try CableOutput { [weak self] in self?.requestedSound() }
    self.output.withLock { $0 = output }
    // One task for the life of the output; it ends with `close`.
    Task {
      await output.forEachEvent { [weak self] event in
        guard case .unplugged(let reason) = event else { return }
        self?.simulation.log("the cable is not connected: \(reason)")
      }
    }
    try await output.plug(into: socket)
  }

  private func requestedSound() -> SoundRequest? {
    let state = state.withLock { $0 }
    guard state.power == .on else { return nil }
    return SoundRequest(
      epoch: state.epoch, signal: state.tuning.signal, position: 0, isPaused: false)
  }

  private func tune(_ band: SimulatedStation.Band, to frequency: Double?)
    async throws(DeviceError)
  {
    guard try simulation.acceptsCommand(at: state.withLock(\.power), of: "tuner") else { return }
    var tuning = state.withLock(\.tuning)
    guard tuning.tune(band, to: frequency) else {
      let range = band == .fm ? "76 to 108 MHz" : "520 to 1710 kHz"
      throw DeviceError(
        .invalid, "\(JSON.number(frequency ?? 0)) is not on the \(band.rawValue.uppercased()) band",
        hint: "It reaches from \(range).")
    }
    await change { $0.tuning = tuning }
  }

  private func tune(toStation name: String) async throws(DeviceError) {
    let stations = state.withLock(\.tuning.stations)
    guard let station = stations.first(where: { $0.name == name }) else {
      let names = stations.map(\.name)
      throw DeviceError(
        .invalid, "there is no station \"\(name)\" on the air",
        hint: nearest(to: name, in: names).map { "Did you mean \"\($0)\"?" }
          ?? "There are: \(names.joined(separator: ", ")).")
    }
    try await tune(station.band, to: station.frequency)
  }

  private func change(_ change: (inout State) -> Void) async {
    let now = simulation.clock.now()
    state.withLock { state in
      change(&state)
      state.epoch += 1
      state.since = now
      state.nextAnchor = now + Self.anchorInterval
    }
    await output.withLock { $0 }?.update()
    report { values(of: $0, at: now) }
    timer.wake()
  }

  private func values(of state: State, at now: Duration) -> [StateKey: JSON] {
    let tuning = state.tuning
    return [
      .power: .string(state.power.rawValue), .band: .string(tuning.band.rawValue),
      .frequency: .number(tuning.frequency),
      .station: tuning.station.map { .string($0.name) } ?? .null,
      .playback: playback(of: state, at: now).json,
    ]
  }

  private func playback(of state: State, at now: Duration) -> Playback {
    guard state.power == .on else { return Playback(.stopped) }
    let station = state.tuning.station
    return Playback(
      .playing, item: station?.name, position: (now - state.since).seconds,
      title: station?.title, reason: station == nil ? "noise" : nil)
  }

  private func tick(_ now: Duration) -> Duration? {
    let (isDue, next): (Bool, Duration?) = state.withLock { state in
      guard state.power == .on else { return (false, nil) }
      guard state.nextAnchor <= now else { return (false, state.nextAnchor) }
      state.nextAnchor = now + Self.anchorInterval
      return (true, state.nextAnchor)
    }
    if isDue { report { [.playback: playback(of: $0, at: simulation.clock.now()).json] } }
    return next
  }

  /// Reports values of the present state.
  private func report(_ values: (State) -> [StateKey: JSON]) {
    reporting.withLock { _ in
      let present = state.withLock { $0 }
      simulation.report(values(present))
    }
  }
}
