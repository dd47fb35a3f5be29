import Devices
import InMemoryDevices
import JSON
import PluginKit

extension PlayerSimulation where Model == TunerModel {
  /// Makes a radio with the stations of the options, and noise between them.
  convenience init(radio simulation: Simulation) throws(DeviceError) {
    let stations = try simulation.options.entries(
      "stations", or: demoStations,
      expected: "an object such as {\"name\": \"Lantern Radio\", \"fm\": 98.5}",
      TunerModel.Station.init(json:))
    self.init(
      simulation, TunerModel(stations: stations, whenOff: simulation.whenOff),
      items: stations.map {
        CatalogueItem(id: $0.name, title: $0.name, format: $0.band.rawValue)
      }
    ) { model, _ in
      guard model.power == .on else { return nil }
      return SoundRequest(epoch: model.epoch, signal: model.signal, position: 0, isPaused: false)
    }
  }
}

extension TunerModel {
  /// The received sound. The first station has 520 Hz, each next one 60 Hz more; after 20 stations the
  /// tones repeat.
  fileprivate var signal: Signal {
    guard let station, let place = stations?.firstIndex(of: station) else { return .staticNoise }
    let tone = 520 + 60 * Double(place % 20)
    return station.band == .fm ? .fm(tone: tone) : .am(tone: tone)
  }
}

extension TunerModel.Station {
  /// Reads `{"name": "Lantern Radio", "fm": 98.5}` or, in kHz, `{"name": "Old Valley", "am": 810}`.
  fileprivate init?(json: JSON) {
    guard let name = json["name"]?.string, !name.isEmpty else { return nil }
    let (band, frequency): (TunerModel.Band, Double)
    switch (json["fm"]?.number, json["am"]?.number) {
    case (let fm?, nil): (band, frequency) = (.fm, fm)
    case (nil, let am?): (band, frequency) = (.am, am)
    default: return nil
    }
    guard band.range.contains(frequency) else { return nil }
    self.init(name, band, frequency, title: json["title"]?.string)
  }
}

/// The stations of a tuner whose options name none.
private let demoStations: JSON = [
  ["name": "Lantern Radio", "fm": 98.5],
  ["name": "Harbour Jazz", "fm": 91.2, "title": "The Quay Trio – Night Tide"],
  ["name": "Old Valley", "am": 810],
]
