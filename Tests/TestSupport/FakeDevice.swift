import Devices
import JSON
import Platform
import Synchronization

/// The calls to all fake devices, in order.
public final class CommandJournal: Sendable {
  private let entries = Mutex<[String]>([])

  public init() {}

  /// One line for each call, such as `lights {"dim":10}`.
  public var lines: [String] { entries.withLock { $0 } }

  func append(_ line: String) { entries.withLock { $0.append(line) } }
  /// Removes all entries.
  public func clear() { entries.withLock { $0 = [] } }
}

/// A device in memory that performs each command at once, unless a test changes that.
public actor FakeDevice: Device, MediaSource, SoundSource, SoundSink, LevelMeter,
  LoudnessLimited
{
  public nonisolated let id: DeviceID
  public nonisolated let role: Role
  private let journal: CommandJournal
  private let clock: any TheaterClock
  private var snapshotNow: DeviceSnapshot
  private var listeners: [AsyncStream<DeviceSnapshot>.Continuation] = []
  private var failures: [String: DeviceError] = [:]
  private var held: Set<String> = []
  private var waiting: [(command: String, continuation: CheckedContinuation<Void, Never>)] = []
  /// Whether a released command is about to go on. Later ones wait for it.
  private var isReleasing = false
  private var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  private var items: [CatalogueItem] = []
  private var scanFailure: DeviceError?
  private var pictures: [String: ItemPicture] = [:]
  private var plugFailures = 0
  private var lentPCM: String?
  private nonisolated let limit = Mutex<Int?>(nil)
  private nonisolated let levelReceiver = Mutex<(@Sendable (SoundLevels) -> Void)?>(nil)
  /// The sockets that were plugged in, newest last.
  public private(set) var plugged: [CableSocket] = []

  public init(
    _ id: DeviceID, _ role: Role, journal: CommandJournal = CommandJournal(),
    clock: any TheaterClock = ManualClock(), items: [CatalogueItem] = []
  ) {
    self.id = id
    self.role = role
    self.journal = journal
    self.clock = clock
    self.items = items
    snapshotNow = DeviceSnapshot(
      availability: .available,
      capabilities: Capabilities(names: ["seek", "stop"], cables: [.pcm]), generation: 1)
  }

  // MARK: Arranging

  /// Makes every `command` fail, or with `nil` no longer.
  public func fail(_ command: String, with error: DeviceError?) { failures[command] = error }

  /// Sets the items of its catalogue.
  public func setItems(_ items: [CatalogueItem]) { self.items = items }

  /// Sets the pictures of its items, by id.
  public func setPictures(_ pictures: [String: ItemPicture]) { self.pictures = pictures }

  /// Makes every scan fail, or with `nil` no longer.
  public func failScan(with error: DeviceError?) { scanFailure = error }

  /// Makes `command` wait until `release`. The cancellation of a held command releases all of them.
  public func hold(_ command: String) { held.insert(command) }

  /// Lets held commands go on, in the order of their arrival.
  public func release() {
    held = []
    if !isReleasing { releaseNext() }
  }

  /// Waits until a held command has arrived.
  public func waitForHeldCommand() async { await waitForHeldCommands(1) }

  /// Waits until so many held commands have arrived.
  public func waitForHeldCommands(_ count: Int) async {
    if waiting.count >= count { return }
    await withCheckedContinuation { arrivals.append((count, $0)) }
  }

  /// Reports a value.
  public func report(_ key: StateKey, _ value: JSON, provenance: Provenance = .reported) {
    snapshotNow.state.update(Reading(value, provenance: provenance, time: clock.now()), for: key)
    publish()
  }

  /// Restarts, as after a crash of its plugin.
  public func restart() {
    snapshotNow.generation += 1
    publish()
  }

  /// Asks for a new connection to its amplifier.
  public func requestPlug() {
    snapshotNow.plugRequests += 1
    publish()
  }

  /// Has these kinds of cable from now on.
  public func setCables(_ cables: [CableKind]) {
    snapshotNow.capabilities.cables = cables
    publish()
  }

  /// The limit of the loudness that it was given last.
  public nonisolated var loudnessLimit: Int? { limit.withLock { $0 } }

  public nonisolated func setLoudnessLimit(_ limit: Int?) { self.limit.withLock { $0 = limit } }

  /// Whether levels are asked for.
  public nonisolated var isMetering: Bool { levelReceiver.withLock { $0 != nil } }

  /// Reports levels, if they are asked for.
  public nonisolated func report(_ levels: SoundLevels) {
    levelReceiver.withLock { $0 }?(levels)
  }

  /// Becomes unreachable, or comes back.
  public func setAvailability(_ availability: Availability) {
    snapshotNow.availability = availability
    publish()
  }

  // MARK: Device

  public func perform(_ command: Command, until: Completion) async throws(DeviceError)
    -> Confirmation
  {
    journal.append("\(id) \(command.json)")
    let isHeld = isReleasing || held.contains(command.spec.name)
    defer { if isHeld { releaseNext() } }
    if isHeld {
      await pause(command.spec.name)
      if Task.isCancelled { throw DeviceError(.cancelled, "cancelled", device: id) }
    }
    if var failure = failures[command.spec.name] {
      failure.device = id
      throw failure
    }
    apply(command)
    return until == .settled && command.spec.settled != .accepted ? .observed : .accepted
  }

  public func snapshot() -> DeviceSnapshot { snapshotNow }

  public func snapshots() -> AsyncStream<DeviceSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: DeviceSnapshot.self)
    continuation.yield(snapshotNow)
    listeners.append(continuation)
    return stream
  }

  /// The facets of the role, which are all declared by this type.
  public nonisolated func facet<Facet>(_ type: Facet.Type) -> Facet? {
    let isLacking =
      if type == (any MediaSource).self || type == (any SoundSource).self {
        role.category == nil
      } else if type == (any SoundSink).self || type == (any LevelMeter).self {
        role != .amplifier
      } else { false }
    return isLacking ? nil : self as? Facet
  }

  public func listCatalogue(folder: String?) throws(DeviceError) -> CatalogueListing {
    if let scanFailure { throw scanFailure }
    return CatalogueListing(folder == nil ? items : [])
  }

  public func picture(of item: String) async throws(DeviceError) -> ItemPicture? {
    journal.append("\(id) picture \(item)")
    let isHeld = held.contains("picture")
    defer { if isHeld { releaseNext() } }
    if isHeld { await pause("picture") }
    if var failure = failures["picture"] {
      failure.device = id
      throw failure
    }
    return pictures[item]
  }

  public func openSocket(input: String) throws(DeviceError) -> CableSocket {
    CableSocket(path: "\(id)-\(input)", token: "token-\(snapshotNow.generation)")
  }

  public func plug(into socket: CableSocket) throws(DeviceError) {
    if plugFailures > 0 {
      plugFailures -= 1
      throw DeviceError(.failed, "the plug does not fit", device: id)
    }
    plugged.append(socket)
    journal.append("\(id) plug \(socket.path) \(socket.token)")
  }

  public func lend(input: String) throws(DeviceError) -> String {
    journal.append("\(id) lend \(input)")
    guard let lentPCM else { throw DeviceError(.unsupported, "nothing is lent", device: id) }
    return lentPCM
  }

  public func plug(pcm: String) throws(DeviceError) {
    journal.append("\(id) plug \(pcm)")
  }

  public func unplug() throws(DeviceError) {
    journal.append("\(id) unplug")
  }

  public nonisolated func setLevelReceiver(_ receive: (@Sendable (SoundLevels) -> Void)?) {
    levelReceiver.withLock { $0 = receive }
  }

  /// Lends this PCM from now on; `nil` refuses.
  public func setLentPCM(_ name: String?) { lentPCM = name }

  /// Makes the next `count` attempts to plug fail.
  public func failPlugging(_ count: Int) { plugFailures = count }

  // MARK: Inside

  private func releaseNext() {
    let index = waiting.firstIndex { !held.contains($0.command) }
    isReleasing = index != nil
    if let index { waiting.remove(at: index).continuation.resume() }
  }

  private func pause(_ command: String) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.append((command, continuation))
        let present = arrivals.filter { $0.count <= waiting.count }
        arrivals.removeAll { $0.count <= waiting.count }
        for arrival in present { arrival.continuation.resume() }
      }
    } onCancel: {
      Task { await self.release() }
    }
  }

  private func apply(_ command: Command) {
    switch command.spec.settled {
    case .accepted: break
    case .value(let key, let value): report(key, value)
    case .anyValue(let key, let values): if let value = values.first { report(key, value) }
    case .argument(let key): if let argument = command.argument { report(key, argument) }
    case .playback(let statuses):
      guard let status = statuses.first else { return }
      var playback = snapshotNow.state.playback ?? Playback(.stopped)
      playback.status = status
      playback.rate = status == .playing ? 1 : 0
      if let item = command.argument?["item"]?.string { playback.item = item }
      if let position = command.argument?["position"]?.number { playback.position = position }
      report(.playback, playback.json)
    }
    if command.spec.name == "seek", var playback = snapshotNow.state.playback {
      playback.position = command.argument?.number ?? 0
      report(.playback, playback.json)
    }
    if role == .tuner, let frequency = command.argument?.number {
      report(.frequency, .number(frequency))
    }
  }

  private func publish() { for listener in listeners { listener.yield(snapshotNow) } }
}
