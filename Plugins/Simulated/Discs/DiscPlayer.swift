import Devices
import JSON
import PluginKit
import Synchronization

/// What every disc player does, whatever lies in it: the DVD and the CD player are made of it.
final class DiscPlayer: Sendable {
  /// The commands that both kinds of player have.
  enum Action: Sendable {
    case on, off, play(PlayRequest), pause, stop, eject, seek(Double), next, previous
  }

  /// The words that differ.
  struct Nouns: Sendable {
    let player: String
    let recording: String
    let part: String
  }

  let simulation: Simulation
  let nouns: Nouns
  let deck: Mutex<DiscMechanism>
  private let timer: DeviceTimer
  private let sound = Mutex(Sound())

  private struct Sound {
    /// The cable, once there was one; until then the clock plays.
    var output: CableOutput?
    var isInTwoChannels = false
  }

  init(_ simulation: Simulation, _ recordings: [Recording], nouns: Nouns, goesOn: Bool)
    throws(DeviceError)
  {
    self.simulation = simulation
    self.nouns = nouns
    timer = DeviceTimer(simulation.clock)
    deck = Mutex(
      DiscMechanism(
        recordings, trayTime: try simulation.time("trayTime", or: 2),
        loadTime: try simulation.time("loadTime", or: 1), goesOn: goesOn))
  }

  /// Reports the present state, with `values` of the kind of player beside it.
  func open(alsoReporting values: [StateKey: JSON] = [:]) -> Capabilities {
    report(and: values)
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

  /// What the player has.
  func scan() -> [CatalogueItem] {
    deck.withLock(\.recordings).enumerated().map { $1.catalogueItem(track: $0 + 1) }
  }

  /// Whether a command may go on: see `Simulation.isOn`.
  func isOn() throws(DeviceError) -> Bool {
    try simulation.isOn(deck.withLock(\.power), nouns.player)
  }

  func perform(_ action: Action) async throws(DeviceError) {
    align()
    let now = simulation.clock.now()
    switch action {
    case .on: deck.withLock { $0.turnOn() }
    case .off: deck.withLock { $0.turnOff(at: now) }
    case .play, .pause, .stop, .eject, .seek, .next, .previous:
      guard try isOn() else { return }
      try perform(whenOn: action, at: now)
    }
    await updateSound()
    report()
    timer.wake()
  }

  // MARK: Sound

  /// Sends its sound over this cable from now on.
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
    let output = try CableOutput { [weak self] in self?.wish() }
    sound.withLock { $0.output = output }
    let now = simulation.clock.now()
    deck.withLock { $0.plug(at: now) }
    // One task for the life of the output; it ends with `close`.
    Task { await output.forEachEvent { [weak self] in await self?.take($0) } }
    timer.wake()
    return output
  }

  private func wish() -> SoundWish? {
    align()
    let now = simulation.clock.now()
    let deck = deck.withLock { $0 }
    guard let recording = deck.recording, let current = deck.current,
      deck.status == .playing || deck.status == .paused
    else { return nil }
    let signal = recording.signal(place: current)
    return SoundWish(
      take: deck.take,
      signal: sound.withLock(\.isInTwoChannels) ? signal.inTwoChannels : signal,
      position: deck.position(at: now), isPaused: deck.status == .paused)
  }

  /// Makes the cable carry what the deck plays; a pause is where the ear says it is.
  private func updateSound() async {
    guard let output = sound.withLock(\.output) else { return }
    await output.update()
    if deck.withLock(\.status) == .paused { align() }
  }

  /// Takes over the heard position, where there is one.
  private func align() {
    guard let output = sound.withLock(\.output),
      let heard = output.heard(take: deck.withLock(\.take))
    else { return }
    let now = simulation.clock.now()
    deck.withLock { $0.align(to: heard, at: now) }
  }

  private func take(_ event: CableOutput.Event) async {
    switch event {
    case .drained(let take): await drained(take: take)
    case .unplugged(let reason): simulation.log("the cable is out: \(reason)")
    }
  }

  private func drained(take: Int) async {
    let now = simulation.clock.now()
    deck.withLock { $0.drained(take: take, at: now) }
    await updateSound()
    report()
    timer.wake()
  }

  // MARK: Time and state

  private func tick(_ now: Duration) async -> Duration? {
    let take = deck.withLock(\.take)
    let (changed, next) = deck.withLock { $0.advance(to: now) }
    if changed {
      if deck.withLock(\.take) != take { await updateSound() }
      align()
      report()
    }
    return next
  }

  private func report(and values: [StateKey: JSON] = [:]) {
    let now = simulation.clock.now()
    let (deck, ends) = deck.withLock { deck in
      let ends = deck.takeEnds()
      return (deck, ends)
    }
    for end in ends { simulation.report([.playback: end.json]) }
    var values = values
    values[.power] = .string(deck.power.rawValue)
    values[.tray] = .string(deck.tray.rawValue)
    values[.playback] = deck.playback(at: now).json
    simulation.report(values)
  }
}
