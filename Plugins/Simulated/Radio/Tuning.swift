import Devices
import JSON

/// A simulated station.
struct SimulatedStation: Sendable, Hashable {
  enum Band: String, Sendable { case am, fm }

  let name: String
  let band: Band
  /// MHz on FM, kHz on AM.
  let frequency: Double
  /// The title of the present song or show, as in the streams of real stations.
  var title: String?

  /// Reads `{"name": "Lantern Radio", "fm": 98.5}` or, in kHz, `{"name": "Old Valley", "am": 810}`.
  init?(_ json: JSON) {
    guard let name = json["name"]?.string, !name.isEmpty else { return nil }
    switch (json["fm"]?.number, json["am"]?.number) {
    case (let frequency?, nil) where TunerCommand.fmRange.contains(frequency):
      self.init(name, .fm, frequency)
    case (nil, let frequency?) where TunerCommand.amRange.contains(frequency):
      self.init(name, .am, frequency)
    default: return nil
    }
    title = json["title"]?.string
  }

  init(_ name: String, _ band: Band, _ frequency: Double, title: String? = nil) {
    self.name = name
    self.band = band
    self.frequency = frequency
    self.title = title
  }

  /// The stations of a tuner whose options name none.
  static let demoStations = [
    SimulatedStation("Lantern Radio", .fm, 98.5),
    SimulatedStation("Harbour Jazz", .fm, 91.2, title: "The Quay Trio – Night Tide"),
    SimulatedStation("Old Valley", .am, 810),
  ]
}

/// A tuner's band and frequencies, and the station that it receives there.
struct Tuning: Sendable {
  let stations: [SimulatedStation]
  private(set) var band = SimulatedStation.Band.fm
  private(set) var am = 810.0
  private(set) var fm = 98.5

  init(_ stations: [SimulatedStation]) { self.stations = stations }

  var frequency: Double { band == .fm ? fm : am }

  /// The received station: within 0.05 MHz on FM, 2 kHz on AM; nil for noise.
  var station: SimulatedStation? {
    let reach = band == .fm ? 0.05 : 2.0
    return stations.first { $0.band == band && abs($0.frequency - frequency) <= reach + 1e-9 }
  }

  /// The received sound. The first station has 520 Hz, each next one 60 Hz more; after 20 stations the
  /// tones repeat.
  var signal: Signal {
    guard let station, let place = stations.firstIndex(of: station) else { return .staticNoise }
    let tone = 520 + 60 * Double(place % 20)
    return station.band == .fm ? .fm(tone: tone) : .am(tone: tone)
  }

  /// Selects the band, and `frequency` if one is given; false if that lies outside the band.
  mutating func tune(_ band: SimulatedStation.Band, to frequency: Double?) -> Bool {
    let range = band == .fm ? TunerCommand.fmRange : TunerCommand.amRange
    if let frequency {
      guard range.contains(frequency) else { return false }
      if band == .fm { fm = frequency } else { am = frequency }
    }
    self.band = band
    return true
  }
}
