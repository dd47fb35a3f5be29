import Devices
import InMemoryDevices
import Platform
import PluginKit
import Synchronization

/// A simulated player: a model with its timer, its sound on a cable and its reports.
final class PlayerSimulation<Model: SoundSourceModel>: PlayerDevice {
  private let simulation: Simulation
  private let model: Mutex<Model>
  private let items: [CatalogueItem]
  private let sound: @Sendable (Model, Duration) -> SoundRequest?
  private let timer: DeadlineTimer
  /// The cable; `nil` until the first plug. Without it the position follows from the clock.
  private let output = Mutex<CableOutput?>(nil)

  /// - Parameters:
  ///   - items: The catalogue.
  ///   - sound: Returns the sound of the model at a time; `nil` for silence.
  init(
    _ simulation: Simulation, _ model: Model, items: [CatalogueItem],
    sound: @escaping @Sendable (Model, Duration) -> SoundRequest?
  ) {
    self.simulation = simulation
    self.model = Mutex(model)
    self.items = items
    self.sound = sound
    timer = DeadlineTimer(simulation.clock)
  }

  func open() async throws(DeviceError) -> Capabilities {
    let names = model.withLock { model in
      simulation.report(ModelReport(model.values(at: simulation.clock.now())))
      return model.capabilities
    }
    timer.start { await self.tick($0) }
    return simulation.capabilities(names, cables: CableKind.allCases)
  }

  func close() async {
    await timer.stop()
    await output.withLock { $0.take() }?.close()
  }

  func perform(_ command: Model.Command) async throws(DeviceError) {
    try await simulation.faults.apply(to: command)
    adoptHeardPosition()
    let now = simulation.clock.now()
    await apply(
      try model.withLock { (model) throws(DeviceError) in
        try model.perform(command, at: now)
      })
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] { items }

  /// Makes the cable and the reports follow a change.
  private func apply(_ change: ModelReport) async {
    guard !change.values.isEmpty else { return }
    await updateSound()
    report(change)
    if let due = model.withLock(\.due) { timer.wake(at: due) }
  }

  private func tick(_ now: Duration) async -> Duration? {
    let (change, isJump, next) = model.withLock { model in
      let epoch = model.epoch
      let change = model.advance(to: now)
      return (change, model.epoch != epoch, model.due)
    }
    guard !change.values.isEmpty else { return next }
    if isJump { await updateSound() }
    adoptHeardPosition()
    report(change)
    return next
  }

  /// Reports the present values of the keys that a change names: the cable may have moved the
  /// position since.
  private func report(_ change: ModelReport) {
    // While the model is locked, so that reports are sent in the order of their states.
    model.withLock { model in
      for end in model.removeEnds() { simulation.report([.playback: end.json]) }
      let values = model.values(at: simulation.clock.now())
      simulation.report(ModelReport(values.filter { change.values[$0.key] != nil }))
    }
  }

  // MARK: Sound

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await openOutput().plug(into: socket)
  }

  /// A lent PCM gets no sound: the item goes on by the clock, as through a wire.
  func plug(pcm: String) async throws(DeviceError) {}
  func unplug() async throws(DeviceError) {}

  private func openOutput() throws(DeviceError) -> CableOutput {
    if let output = output.withLock({ $0 }) { return output }
    let output = try CableOutput { [weak self] in self?.requestedSound() }
    self.output.withLock { $0 = output }
    let now = simulation.clock.now()
    model.withLock { $0.followCable(at: now) }
    // One task for the life of the output; it ends with `close`.
    Task { await output.forEachEvent { [weak self] in await self?.handle($0) } }
    timer.wake()
    return output
  }

  private func requestedSound() -> SoundRequest? {
    adoptHeardPosition()
    let now = simulation.clock.now()
    return sound(model.withLock { $0 }, now)
  }

  /// Makes the cable carry the model's sound; a paused model adopts the heard position.
  private func updateSound() async {
    guard let output = output.withLock({ $0 }) else { return }
    await output.update()
    let now = simulation.clock.now()
    if sound(model.withLock { $0 }, now)?.isPaused == true { adoptHeardPosition() }
  }

  /// Adopts the heard position, if there is one.
  private func adoptHeardPosition() {
    guard let output = output.withLock({ $0 }),
      let heard = output.heardPosition(inEpoch: model.withLock(\.epoch))
    else { return }
    let now = simulation.clock.now()
    model.withLock { $0.setHeardPosition(heard, at: now) }
  }

  private func handle(_ event: CableOutput.Event) async {
    switch event {
    case .drained(let epoch):
      let now = simulation.clock.now()
      await apply(model.withLock { $0.finish(epoch: epoch, at: now) })
    case .unplugged(let reason): simulation.log("the cable is not connected: \(reason)")
    }
  }
}
