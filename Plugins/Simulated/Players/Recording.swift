import Devices
import InMemoryDevices
import JSON
import PluginKit

extension PlayerSimulation {
  /// Makes a DVD player with a changer full of films in 5.1.
  convenience init(dvd simulation: Simulation) throws(DeviceError)
  where Model == DiscPlayerModel<DVDPlayerCommand> {
    let films = try Recording.read("films", or: demoFilms, channels: 6, from: simulation.options)
    try self.init(simulation, films, playsOn: false)
  }

  /// Makes a CD player with a disc of songs; one follows the other.
  convenience init(cd simulation: Simulation) throws(DeviceError)
  where Model == DiscPlayerModel<CDPlayerCommand> {
    let songs = try Recording.read("songs", or: demoSongs, channels: 2, from: simulation.options)
    try self.init(simulation, songs, playsOn: true)
  }

  private convenience init<Command>(
    _ simulation: Simulation, _ recordings: [Recording], playsOn: Bool
  ) throws(DeviceError) where Model == DiscPlayerModel<Command> {
    let model = DiscPlayerModel<Command>(
      recordings.map(\.item), trayTime: try simulation.time("trayTime", or: 2),
      loadTime: try simulation.time("loadTime", or: 1), playsOn: playsOn,
      whenOff: simulation.whenOff)
    self.init(simulation, model, items: recordings.map(\.item.item)) { model, now in
      guard let current = model.current, recordings.indices.contains(current),
        model.status == .playing || model.status == .paused
      else { return nil }
      let signal = recordings[current].signal(index: current)
      return SoundRequest(
        epoch: model.epoch, signal: model.audio == .twoChannel ? signal.inTwoChannels : signal,
        position: model.position(at: now), isPaused: model.status == .paused)
    }
  }
}

/// A film or song of a simulated player.
private struct Recording: Sendable {
  var item: DiscItem
  /// In seconds, from 1 to 86,400 (24 hours).
  let duration: Double
  let channels: Int
  /// Its tone in Hz, 100–2000 (see ``Signal``); nil for the tone of its place among the recordings.
  let tone: Double?

  /// Reads the recordings of an option, or `demo` if it is missing, in the order of their disc.
  static func read(
    _ option: String, or demo: JSON, channels: Int, from options: OptionReader
  ) throws(DeviceError) -> [Recording] {
    var recordings = try options.entries(
      option, or: demo,
      expected: "an object such as {\"id\": \"a\", \"title\": \"A\", \"duration\": 60}"
    ) { Recording($0, channels: channels) }
    for index in recordings.indices { recordings[index].item.item.track = index + 1 }
    return recordings
  }

  /// Reads `{"id": "night-ferry", "title": "Night Ferry", "duration": 90, "chapters": 3}`: a film has
  /// 1 to 99 chapters.
  private init?(_ json: JSON, channels: Int) {
    guard let id = json["id"]?.string, !id.isEmpty, let title = json["title"]?.string,
      let duration = json["duration"]?.number, (1...86_400).contains(duration)
    else { return nil }
    let chapters = json["chapters"]?.integer ?? 1
    guard (1...99).contains(chapters) else { return nil }
    tone = json["tone"]?.number
    if let tone, !(100...2000).contains(tone) { return nil }
    item = DiscItem(
      CatalogueItem(
        id: id, title: title, artist: json["artist"]?.string, album: json["album"]?.string,
        duration: duration, format: "simulated", channels: channels), chapters: chapters)
    self.duration = duration
    self.channels = channels
  }

  /// Returns the signal of the recording, which has the index `place` in its player. Without a tone
  /// of its own the first film has 400 Hz, the first song 300 Hz, and each next one 40 Hz more; the
  /// 21st begins again.
  func signal(index place: Int) -> Signal {
    let step = 40 * Double(place % 20)
    return channels == 2
      ? .song(tone: tone ?? 300 + step, duration: duration)
      : .film(tone: tone ?? 400 + step, duration: duration)
  }
}

/// The films of a player whose options name none.
private let demoFilms: JSON = [
  ["id": "night-ferry", "title": "Night Ferry", "duration": 120, "chapters": 4],
  ["id": "paper-moons", "title": "Paper Moons", "duration": 90, "chapters": 3],
  ["id": "the-long-hall", "title": "The Long Hall", "duration": 60, "chapters": 2],
]

/// The songs of a player whose options name none.
private let demoSongs: JSON = [
  demoSong("first-bus", "First Bus", 40), demoSong("stairwell", "Stairwell", 30),
  demoSong("last-light", "Last Light", 50),
]

private func demoSong(_ id: String, _ title: String, _ duration: Int) -> JSON {
  [
    "id": .string(id), "title": .string(title), "artist": "The Sine Waves",
    "album": "Plain Tones", "duration": .integer(duration),
  ]
}
