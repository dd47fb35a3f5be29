import Devices
import JSON

/// A tuner's band and frequencies, and the station that it receives there.
package struct TunerModel: SoundSourceModel {
  package enum Band: String, Sendable {
    case am, fm

    /// kHz on AM, MHz on FM.
    package var range: ClosedRange<Double> {
      self == .fm ? TunerCommand.fmRange : TunerCommand.amRange
    }
  }

  /// A station on the air.
  package struct Station: Sendable, Hashable {
    package let name: String
    package let band: Band
    /// MHz on FM, kHz on AM.
    package let frequency: Double
    /// The title of the present song or show, as in the streams of real stations.
    package let title: String?

    package init(_ name: String, _ band: Band, _ frequency: Double, title: String? = nil) {
      self.name = name
      self.band = band
      self.frequency = frequency
      self.title = title
    }
  }

  private static let anchorInterval = Duration.seconds(5)

  /// The stations on the air; `nil` for a tuner that accepts any name as a station.
  package let stations: [Station]?
  private let whenOff: WhenOff?
  package private(set) var power = Power.off
  private var status = Playback.Status.stopped
  private var band = Band.fm
  private var frequencies: [Band: Double]
  /// The name of the chosen station, where the stations on the air are not known.
  private var chosen: String?

  package private(set) var epoch = 0
  /// When the current sound began.
  private var since = Duration.zero
  /// The time of the next report of the position.
  package private(set) var due: Duration?

  package init(stations: [Station]? = nil, whenOff: WhenOff? = nil) {
    self.stations = stations
    self.whenOff = whenOff
    frequencies = stations == nil ? [:] : [.am: 810, .fm: 98.5]
  }

  /// The received station: within 0.05 MHz on FM, 2 kHz on AM; `nil` for noise.
  package var station: Station? {
    guard let frequency = frequencies[band] else { return nil }
    let reach = band == .fm ? 0.05 : 2.0
    return stations?.first { $0.band == band && abs($0.frequency - frequency) <= reach + 1e-9 }
  }

  package func values(at now: Duration) -> [StateKey: JSON] {
    let frequency = chosen == nil ? frequencies[band] : nil
    let name = chosen ?? station?.name
    return [
      .power: .string(power.rawValue), .band: .string(band.rawValue),
      .frequency: frequency.map { .number($0) } ?? .null,
      .station: name.map { .string($0) } ?? .null,
      .playback: playback(at: now).json,
    ]
  }

  private func playback(at now: Duration) -> Playback {
    guard status != .stopped else { return Playback(.stopped) }
    return Playback(
      status, item: chosen ?? station?.name, position: (now - since).seconds,
      title: station?.title, reason: stations != nil && station == nil ? "noise" : nil)
  }

  package mutating func perform(
    _ command: TunerCommand, at now: Duration
  ) throws(DeviceError) -> ModelReport {
    let isDone =
      switch command {
      case .on: turn(.on)
      case .off: turn(.off)
      case .am(let frequency): try tune(.am, to: frequency)
      case .fm(let frequency): try tune(.fm, to: frequency)
      case .frequency(let frequency): try tune(band, to: frequency)
      case .station(let name): try tune(toStation: name)
      }
    guard isDone else { return [:] }
    epoch += 1
    since = now
    due = status == .playing ? now + Self.anchorInterval : nil
    return ModelReport(values(at: now))
  }

  package mutating func advance(to now: Duration) -> ModelReport {
    guard let due, due <= now else { return [:] }
    self.due = now + Self.anchorInterval
    return [.playback: playback(at: now).json]
  }

  package mutating func adopt(_ state: DeviceState) {
    power = state.power
    status = state.playback?.status ?? .stopped
    band = state[.band]?.string.flatMap(Band.init) ?? band
    let frequency = state[.frequency]?.number
    if let frequency { frequencies[band] = frequency }
    chosen = frequency == nil ? state[.station]?.string : nil
  }

  private mutating func turn(_ power: Power) -> Bool {
    self.power = power
    status = power == .on ? .playing : .stopped
    return true
  }

  private mutating func tune(
    _ band: Band, to frequency: Double?
  ) throws(DeviceError) -> Bool {
    guard try whenOff.accepts(at: power, of: "tuner") else { return false }
    if let frequency {
      guard stations == nil || band.range.contains(frequency) else {
        let range = band == .fm ? "76 to 108 MHz" : "520 to 1710 kHz"
        throw DeviceError(
          .invalid,
          "\(JSON.number(frequency)) is not on the \(band.rawValue.uppercased()) band",
          hint: "It reaches from \(range).")
      }
      frequencies[band] = frequency
    }
    self.band = band
    chosen = nil
    return true
  }

  private mutating func tune(toStation name: String) throws(DeviceError) -> Bool {
    guard let stations else {
      guard try whenOff.accepts(at: power, of: "tuner") else { return false }
      chosen = name
      status = .playing
      return true
    }
    guard let station = stations.first(where: { $0.name == name }) else {
      let names = stations.map(\.name)
      throw DeviceError(
        .invalid, "there is no station \"\(name)\" on the air",
        hint: spellingHint(for: name, among: names)
          ?? "There are: \(names.joined(separator: ", ")).")
    }
    return try tune(station.band, to: station.frequency)
  }

  // The sound of a station has no position and no end.
  package mutating func followCable(at now: Duration) {}
  package mutating func setHeardPosition(_ heard: Double, at now: Duration) {}
  package mutating func finish(epoch number: Int, at now: Duration) -> ModelReport { [:] }
  package mutating func removeEnds() -> [Playback] { [] }
}
