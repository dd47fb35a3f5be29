import Devices
import JSON
import Platform
import PluginKit
import Synchronization

/// The common part of the DVD player and the CD player: mechanism, time, sound and reports.
final class DiscPlayerSimulation: Sendable {
  let simulation: Simulation
  private let mechanism: Mutex<DiscMechanism>
  private let timer: DeadlineTimer
  private let sound = Mutex(Sound())
  /// Held during each report, so that reports are sent in the order of their states.
  private let reporting = Mutex(())

  private struct Sound {
    /// The cable; nil until the first plug. Without it the position follows from the clock.
    var output: CableOutput?
    var isInTwoChannels = false
  }

  /// - Parameter playsOn: Whether the next recording follows by itself, as on a CD.
  init(
    _ simulation: Simulation, _ recordings: [Recording], nouns: DiscMechanism.Nouns, playsOn: Bool
  ) throws(DeviceError) {
    self.simulation = simulation
    timer = DeadlineTimer(simulation.clock)
    mechanism = Mutex(
      DiscMechanism(
        recordings, nouns: nouns, trayTime: try simulation.time("trayTime", or: 2),
        loadTime: try simulation.time("loadTime", or: 1), playsOn: playsOn))
  }

  /// Starts the timer, and reports the state together with `values`.
  func open(alsoReporting values: [StateKey: JSON] = [:]) -> Capabilities {
    report(adding: values)
    timer.start { await self.tick($0) }
    return simulation.capabilities(["seek"], cables: [.pcm])
  }

  func close() async {
    await timer.stop()
    let output = sound.withLock { sound in
      defer { sound.output = nil }
      return sound.output
    }
    await output?.close()
  }

  /// Returns the recordings as catalogue items.
  func scan() -> [CatalogueItem] {
    mechanism.withLock(\.recordings).enumerated().map { $1.catalogueItem(track: $0 + 1) }
  }

  /// Whether a command may go on: see `Simulation.acceptsCommand`.
  func acceptsCommand() throws(DeviceError) -> Bool {
    try simulation.acceptsCommand(
      at: mechanism.withLock(\.power), of: mechanism.withLock(\.nouns.player))
  }

  func turnOn() async {
    adoptHeardPosition()
    // Turning on changes neither the sound nor a deadline, so `applyChange` is not needed.
    mechanism.withLock { $0.turnOn() }
    report()
  }

  func turnOff() async {
    let now = simulation.clock.now()
    mechanism.withLock { $0.turnOff(at: now) }
    await applyChange()
  }

  /// Performs a command; one that comes while the player is off is refused or ignored.
  func perform(_ action: DiscMechanism.Action) async throws(DeviceError) {
    adoptHeardPosition()
    let now = simulation.clock.now()
    guard try acceptsCommand() else { return }
    try mechanism.withLock { (mechanism) throws(DeviceError) in
      try mechanism.perform(action, at: now)
    }
    await applyChange()
  }

  private func applyChange() async {
    await updateSound()
    report()
    if let due = mechanism.withLock(\.due) { timer.wake(at: due) }
  }

  // MARK: Sound

  /// Sends the player's sound over this cable from now on.
  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await output().plug(into: socket)
  }

  /// Sends films in two channels, or in all that they have.
  func sendTwoChannels(_ isInTwoChannels: Bool) async {
    sound.withLock { $0.isInTwoChannels = isInTwoChannels }
    await updateSound()
  }

  private func output() throws(DeviceError) -> CableOutput {
    if let output = sound.withLock(\.output) { return output }
    let output = try CableOutput { [weak self] in self?.requestedSound() }
    sound.withLock { $0.output = output }
    let now = simulation.clock.now()
    mechanism.withLock { $0.followCable(at: now) }
    // One task for the life of the output; it ends with `close`.
    Task { await output.forEachEvent { [weak self] in await self?.handle($0) } }
    timer.wake()
    return output
  }

  private func requestedSound() -> SoundRequest? {
    adoptHeardPosition()
    let now = simulation.clock.now()
    let mechanism = mechanism.withLock { $0 }
    guard let recording = mechanism.recording, let current = mechanism.current,
      mechanism.status == .playing || mechanism.status == .paused
    else { return nil }
    let signal = recording.signal(index: current)
    return SoundRequest(
      epoch: mechanism.epoch,
      signal: sound.withLock(\.isInTwoChannels) ? signal.inTwoChannels : signal,
      position: mechanism.position(at: now), isPaused: mechanism.status == .paused)
  }

  /// Makes the cable carry the mechanism's sound; a paused mechanism adopts the heard position.
  private func updateSound() async {
    guard let output = sound.withLock(\.output) else { return }
    await output.update()
    if mechanism.withLock(\.status) == .paused { adoptHeardPosition() }
  }

  /// Adopts the heard position, if there is one.
  private func adoptHeardPosition() {
    guard let output = sound.withLock(\.output),
      let heard = output.heardPosition(inEpoch: mechanism.withLock(\.epoch))
    else { return }
    let now = simulation.clock.now()
    mechanism.withLock { $0.setHeardPosition(heard, at: now) }
  }

  private func handle(_ event: CableOutput.Event) async {
    switch event {
    case .drained(let epoch):
      let now = simulation.clock.now()
      mechanism.withLock { $0.finish(epoch: epoch, at: now) }
      await applyChange()
    case .unplugged(let reason): simulation.log("the cable is not connected: \(reason)")
    }
  }

  // MARK: Time and state

  private func tick(_ now: Duration) async -> Duration? {
    let epoch = mechanism.withLock(\.epoch)
    let (changed, next) = mechanism.withLock { $0.advance(to: now) }
    if changed {
      if mechanism.withLock(\.epoch) != epoch { await updateSound() }
      adoptHeardPosition()
      report()
    }
    return next
  }

  private func report(adding values: [StateKey: JSON] = [:]) {
    reporting.withLock { _ in sendReport(adding: values) }
  }

  private func sendReport(adding values: [StateKey: JSON]) {
    let now = simulation.clock.now()
    let (mechanism, ends) = mechanism.withLock { mechanism in
      let ends = mechanism.removeEnds()
      return (mechanism, ends)
    }
    for end in ends { simulation.report([.playback: end.json]) }
    var values = values
    values[.power] = .string(mechanism.power.rawValue)
    values[.tray] = .string(mechanism.tray.rawValue)
    values[.playback] = mechanism.playback(at: now).json
    simulation.report(values)
  }
}
