import Devices
import JSON
import PluginKit

/// A band of a radio.
enum Band: String, Sendable, CaseIterable {
  case am, fm

  /// The frequencies of the band: kHz on AM, MHz on FM.
  var range: ClosedRange<Double> {
    self == .am ? TunerCommand.amRange : TunerCommand.fmRange
  }

  /// Half of a channel: the largest distance from its frequency at which a station is received.
  var width: Double { self == .am ? 4.5 : 0.05 }

  /// The first frequency of a band without stations.
  var middle: Double { self == .am ? 1000 : 98 }

  /// Returns a frequency as text: "98.5 MHz" or "540 kHz".
  func name(of frequency: Double) -> String {
    let rounded = (frequency * 100).rounded() / 100
    let digits = rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    return digits + (self == .am ? " kHz" : " MHz")
  }
}

/// A station on the Internet, with or without a frequency.
struct Station: Equatable, Sendable {
  /// Its name in commands and lists.
  let name: String
  /// `http` or `https`.
  let url: String
  let band: Band
  /// kHz on AM, MHz on FM; nil for a station that is tuned by name alone.
  let frequency: Double?
}

/// The stations of a tuner and their frequencies.
struct StationList: Equatable, Sendable {
  /// In the order of the options.
  let stations: [Station]

  /// Reads the option `stations`: `[{"name": "…", "url": "…", "fm": 98.5}]`; `am` instead of `fm`,
  /// or neither for a station without a frequency.
  init(options: JSON) throws(DeviceError) {
    var stations: [Station] = []
    for entry in try OptionReader(options).objects("stations") {
      let station = try Self.station(entry)
      guard !stations.contains(where: { $0.name == station.name }) else {
        throw entry.error("name", "is \"\(station.name.quotation)\", like that of another station")
      }
      stations.append(station)
    }
    self.stations = stations
  }

  private static func station(_ entry: OptionReader) throws(DeviceError) -> Station {
    let name = try entry.required("name")
    let url = try entry.required("url")
    guard ["http://", "https://"].contains(where: { url.lowercased().hasPrefix($0) }) else {
      throw entry.error("url", "does not begin with http:// or https://")
    }
    guard !entry.has("am") || !entry.has("fm") else {
      throw entry.error("am", "stands beside \"fm\": a station is on one band, not on both")
    }
    let band = entry.has("am") ? Band.am : .fm
    let frequency = entry.json[band.rawValue]?.number
    if entry.has(band.rawValue), !(frequency.map(band.range.contains) ?? false) {
      throw entry.error(
        band.rawValue,
        "is no frequency from \(band.name(of: band.range.lowerBound)) to "
          + band.name(of: band.range.upperBound))
    }
    return Station(name: name, url: url, band: band, frequency: frequency)
  }

  /// Returns the station that is received at a frequency: the nearest within half a channel.
  func station(at frequency: Double, on band: Band) -> Station? {
    func distance(_ station: Station) -> Double {
      station.frequency.map { abs($0 - frequency) } ?? .infinity
    }
    let nearest = stations.filter { $0.band == band }.min { distance($0) < distance($1) }
    // A tenth of a percent of slack: 98.45 is not exactly half a channel beside 98.5 in binary.
    return nearest.flatMap { distance($0) <= band.width * 1.001 ? $0 : nil }
  }

  /// Returns the station of this name; throws with the nearest name as a hint.
  func station(named name: String) throws(DeviceError) -> Station {
    if let station = stations.first(where: { $0.name == name }) { return station }
    let near = nearest(to: name, in: stations.map(\.name))
    throw DeviceError(
      .invalid, "there is no station \"\(name.boundedLine(maximumBytes: 60))\"",
      hint: near.map { "Did you mean \"\($0)\"?" }
        ?? "Stations are named in the tuner's option \"stations\".")
  }

  /// Returns the first frequency of a band: that of its first station.
  func firstFrequency(of band: Band) -> Double {
    stations.first { $0.band == band && $0.frequency != nil }?.frequency ?? band.middle
  }
}
