import Devices
import JSON
import MediaFolders
import MediaNetwork
import Platform
import PluginKit
import PluginProtocol

/// A radio whose stations come over the Internet.
///
/// At the frequency of a station plays its stream; at any other, noise, or silence without the option `static`.
actor InternetTuner: PlayerDevice {
  /// The number of failures in a row after which the station counts as failed; the receiver keeps
  /// trying.
  private static let failureLimit = 3

  private let context: DeviceContext
  private let stations: StationList
  private let receiver: Receiver
  private let clock: any TheaterClock
  private let playsStatic: Bool
  private var isOn = false
  private var band = Band.fm
  /// The last frequency of each band.
  private var frequencies: [Band: Double] = [:]
  /// The current or last programme; nil before the first tuning.
  private var programme: Programme?
  /// The number of the current reception; 0 without one.
  private var number = 0
  private var status = Playback.Status.stopped
  /// The title that the station names.
  private var title: String?
  /// Why no station plays.
  private var text: String?
  /// When the sound began.
  private var since = Duration.zero
  private var supply = SupplyMonitor()
  private var backgroundTasks: [Task<Void, Never>] = []
  private let supplyChecks = Trigger<Void>()

  /// Creates a tuner with the stations of its options (see ``StationList/init(options:)``). It reconnects to
  /// a station that sends nothing for `patience` milliseconds.
  init(
    context: DeviceContext, clock: any TheaterClock = SystemClock(),
    retryDelay: RetryDelay = RetryDelay(), patience: UInt64 = RadioConnection.patience,
    makeProxy: @escaping @Sendable () throws(SystemError) -> MediaProxy = {
      () throws(SystemError) in
      try MediaProxy()
    }
  ) throws(DeviceError) {
    self.context = context
    self.clock = clock
    stations = try StationList(options: context.options)
    playsStatic = try OptionReader(context.options).flag("static", or: true)
    do {
      receiver = try Receiver(
        retryDelay: retryDelay, patience: patience, makeProxy: makeProxy)
    } catch {
      throw DeviceError(.failed, error.message)
    }
  }

  func open() async throws(DeviceError) -> Capabilities {
    backgroundTasks = [
      Task { for await event in receiver.events { self.handle(event) } },
      Task { for await event in receiver.source.events { self.handle(event) } },
      Task { for await _ in supplyChecks.requests { await self.checkSupply() } },
    ]
    context.report([.power: "off"])
    reportTuning()
    report()
    return Capabilities(cables: [.pcm])
  }

  func close() async {
    for task in backgroundTasks { task.cancel() }
    supplyChecks.finish()
    receiver.close()
  }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await receiver.source.plug(into: socket)
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    guard folder == nil else { return [] }
    return stations.stations.map { CatalogueItem(id: $0.name, title: $0.name, format: "radio") }
  }

  func perform(_ command: TunerCommand) async throws(DeviceError) {
    switch command {
    case .on: turnOn()
    case .off: turnOff()
    case .am(let frequency): try tune(.am, frequency)
    case .fm(let frequency): try tune(.fm, frequency)
    case .frequency(let frequency): try tune(band, frequency)
    case .station(let name): try tune(named: name)
    }
  }

  // MARK: Commands

  private func turnOn() {
    guard !isOn else { return }
    isOn = true
    receiver.warmUp()
    context.report([.power: "on"])
    // Silent until the first tuning, so that the first sound is the wanted one.
    if let programme { receive(programme) }
  }

  private func turnOff() {
    receiver.silence()
    isOn = false
    number = 0
    changeStatus(to: .stopped, text: nil)
    context.report([.power: "off"])
  }

  private func tune(_ band: Band, _ wanted: Double?) throws(DeviceError) {
    try requirePower()
    let frequency = wanted ?? frequencies[band] ?? stations.firstFrequency(of: band)
    guard band.range.contains(frequency) else {
      throw DeviceError(
        .invalid, "\(band.name(of: frequency)) is not on \(band.rawValue.uppercased())",
        hint: "It reaches from \(band.name(of: band.range.lowerBound)) to "
          + "\(band.name(of: band.range.upperBound)).")
    }
    self.band = band
    frequencies[band] = frequency
    let station = stations.station(at: frequency, on: band)
    receive(station.map { .station($0) } ?? .noise(band))
  }

  private func tune(named name: String) throws(DeviceError) {
    try requirePower()
    let station = try stations.station(named: name)
    band = station.band
    frequencies[band] = station.frequency
    receive(.station(station))
  }

  private func requirePower() throws(DeviceError) {
    guard isOn else { throw DeviceError(.notNow, "the tuner is off", hint: "Turn it on first.") }
  }

  private func receive(_ programme: Programme) {
    // Already tuned there, and it plays or opens.
    let isSame = self.programme == programme && [.playing, .opening].contains(status)
    self.programme = programme
    reportTuning()
    // The noise goes on from one frequency to another, but its text names the new one.
    if case .noise(let band) = programme {
      text = "no station at \(frequencies[band].map { band.name(of: $0) } ?? "")"
    }
    if isSame { return report() }
    switch programme {
    case .station:
      number = receiver.tune(to: programme)
      changeStatus(to: .opening, text: nil)
    case .noise:
      if playsStatic {
        number = receiver.tune(to: programme)
      } else {
        receiver.silence()
        number = 0
      }
      changeStatus(to: .playing, text: text)
    }
  }

  // MARK: State and reports

  private var station: Station? {
    if case .station(let station) = programme { station } else { nil }
  }

  private func reportTuning() {
    let frequency = station.map(\.frequency) ?? frequencies[band]
    context.report([
      .band: .string(band.rawValue), .frequency: frequency.map { .number($0) } ?? .null,
      .station: (station?.name).map { .string($0) } ?? .null,
    ])
  }

  private func changeStatus(to status: Playback.Status, text: String?, title: String? = nil) {
    if status == .playing, self.status != .playing { since = clock.now() }
    self.status = status
    self.text = text
    self.title = title
    supply = SupplyMonitor()
    if status == .playing { supplyChecks.fire() }
    report()
  }

  private func report() {
    let position = status == .playing ? (clock.now() - since).seconds : 0
    context.report(
      supply.isWaiting
        ? Playback(.opening, item: station?.name, reason: "no sound comes; waiting for the station")
        : Playback(status, item: station?.name, position: position, title: title, reason: text))
  }

  // MARK: Background tasks

  /// Reports "opening" instead of "playing" as long as no sound comes.
  private func checkSupply() async {
    while status == .playing, number != 0 {
      let remaining = receiver.remainingSound
      if supply.update(remaining: remaining, at: clock.now()) { report() }
      do {
        try await clock.sleep(for: SupplyMonitor.interval(remaining: remaining))
      } catch {
        return
      }
    }
  }

  private func handle(_ event: ReceiverEvent) {
    guard event.number == number, station != nil else { return }
    switch event.kind {
    case .playing(let kind, let format):
      // A station names its title after its sound has begun, and not again when the format changes.
      changeStatus(to: .playing, text: nil, title: status == .playing ? title : nil)
      let text = "\(kind), \(format.channels) channels at \(format.rate) Hz"
      context.report(attributes: ["stream": Attribute(.string(text), label: "Stream")])
    case .title(let title):
      self.title = title
      report()
    case .lost(let failure, let failures, let retry):
      let seconds = max(1, (retry + 500) / 1000)
      let reason = failure.message
      let text = "\(reason)\(reason.hasSuffix(".") ? "" : ".") Trying again in \(seconds) s"
      context.log(.warning, text)
      changeStatus(to: failures < Self.failureLimit ? .opening : .failed, text: text)
    }
  }

  private func handle(_ event: CableSourceEvent) {
    if case .unplugged(let error) = event {
      context.log(.info, "the cable is not connected: \(error.message)")
    }
  }
}
