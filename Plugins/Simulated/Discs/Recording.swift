import Devices
import JSON

/// A film or song of a simulated player.
struct Recording: Sendable, Hashable {
  let id: String
  let title: String
  var artist: String?
  var album: String?
  /// In seconds, from 1 to 86,400 (24 hours).
  let duration: Double
  /// The number of chapters of a film, 1–99; a song has one.
  var chapters = 1
  let channels: Int
  /// Its tone in Hz, 100–2000 (see ``Signal``); nil for the tone of its place among the recordings.
  var tone: Double?

  /// Reads `{"id": "night-ferry", "title": "Night Ferry", "duration": 90}`.
  init?(_ json: JSON, channels: Int) {
    guard let id = json["id"]?.string, !id.isEmpty, let title = json["title"]?.string,
      let duration = json["duration"]?.number, (1...86_400).contains(duration)
    else { return nil }
    let chapters = json["chapters"]?.integer ?? 1
    guard (1...99).contains(chapters) else { return nil }
    if let tone = json["tone"]?.number, !(100...2000).contains(tone) { return nil }
    self.init(
      id, title, artist: json["artist"]?.string, album: json["album"]?.string,
      duration: duration, chapters: chapters, channels: channels)
    tone = json["tone"]?.number
  }

  init(
    _ id: String, _ title: String, artist: String? = nil, album: String? = nil, duration: Double,
    chapters: Int = 1, channels: Int
  ) {
    self.id = id
    self.title = title
    self.artist = artist
    self.album = album
    self.duration = duration
    self.chapters = chapters
    self.channels = channels
  }

  /// The films of a player whose options name none.
  static let demoFilms = [
    Recording("night-ferry", "Night Ferry", duration: 120, chapters: 4, channels: 6),
    Recording("paper-moons", "Paper Moons", duration: 90, chapters: 3, channels: 6),
    Recording("the-long-hall", "The Long Hall", duration: 60, chapters: 2, channels: 6),
  ]

  /// The songs of a player whose options name none.
  static let demoSongs = [
    Recording(
      "first-bus", "First Bus", artist: "The Sine Waves", album: "Plain Tones", duration: 40,
      channels: 2),
    Recording(
      "stairwell", "Stairwell", artist: "The Sine Waves", album: "Plain Tones", duration: 30,
      channels: 2),
    Recording(
      "last-light", "Last Light", artist: "The Sine Waves", album: "Plain Tones", duration: 50,
      channels: 2),
  ]

  /// Where each chapter begins, in seconds.
  var chapterStarts: [Double] {
    (0..<chapters).map { duration * Double($0) / Double(chapters) }
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

  /// Returns the catalogue's entry, number `track` of its disc.
  func catalogueItem(track: Int) -> CatalogueItem {
    CatalogueItem(
      id: id, title: title, artist: artist, album: album, track: track, duration: duration,
      format: "simulated", channels: channels)
  }
}
