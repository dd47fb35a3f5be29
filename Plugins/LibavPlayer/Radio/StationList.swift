import Devices
import JSON

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
    for (index, entry) in (options["stations"]?.array ?? []).enumerated() {
      let station = try StationList.station(entry, path: "stations[\(index)]")
      guard !stations.contains(where: { $0.name == station.name }) else {
        throw DeviceError(.invalid, "stations[\(index)]: \"\(station.name)\" is there twice")
      }
      stations.append(station)
    }
    self.stations = stations
  }

  private static func station(_ entry: JSON, path: String) throws(DeviceError) -> Station {
    guard let name = entry["name"]?.string, !name.isEmpty else {
      throw DeviceError(.invalid, "\(path): a station needs a \"name\"")
    }
    guard let url = entry["url"]?.string,
      ["http://", "https://"].contains(where: { url.lowercased().hasPrefix($0) })
    else {
      throw DeviceError(
        .invalid, "\(path) (\(name)): expected a \"url\" that begins with http:// or https://")
    }
    guard entry["am"] == nil || entry["fm"] == nil else {
      throw DeviceError(.invalid, "\(path) (\(name)): it lies on \"fm\" or on \"am\", not on both")
    }
    let band = entry["am"] == nil ? Band.fm : .am
    let frequency = entry[band.rawValue]?.number
    if let frequency, !band.range.contains(frequency) {
      throw DeviceError(
        .invalid,
        "\(path) (\(name)): \(band.rawValue.uppercased()) reaches from "
          + "\(band.name(of: band.range.lowerBound)) to \(band.name(of: band.range.upperBound))")
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
