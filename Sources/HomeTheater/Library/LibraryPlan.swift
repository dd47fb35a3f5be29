import Devices
import Scenes

/// The films, songs and stations that `devices.json` names, and the folders that players search for
/// more.
package struct LibraryPlan: Sendable, Hashable {
  /// The configured films, in the order of the file.
  package var films: [LibraryItem]
  /// The configured songs, in the order of the file.
  package var songs: [LibraryItem]
  /// The configured radio stations, in the order of the file.
  package var stations: [LibraryItem]
  /// The folders that players search for more films and songs.
  package var folders: [LibraryFolder]

  package init(
    films: [LibraryItem] = [], songs: [LibraryItem] = [], stations: [LibraryItem] = [],
    folders: [LibraryFolder] = []
  ) {
    self.films = films
    self.songs = songs
    self.stations = stations
    self.folders = folders
  }
}

/// One film, song or station.
package struct LibraryItem: Sendable, Hashable {
  /// The item of a player's `play` command, or the name of a station.
  package var id: String
  /// The displayed title.
  package var title: String
  /// The artist of a song; `nil` if it is not given.
  package var artist: String?
  /// The album of a song; `nil` if it is not given.
  package var album: String?
  /// The duration in seconds; `nil` if it is not given.
  package var duration: Double?
  /// The age rating of a film in years, 0 to 21; `nil` without a rating.
  package var rating: Int?
  /// The configured player of the item; players whose catalogues list this id can play it, too. `nil` without one: any
  /// player of the category can play the item until a catalogue lists it.
  package var player: DeviceID?
  /// The frequency of a station; `nil` for films and songs, and for stations known by name alone.
  package var frequency: StationFrequency?

  package init(
    id: String, title: String, artist: String? = nil, album: String? = nil,
    duration: Double? = nil, rating: Int? = nil, player: DeviceID? = nil,
    frequency: StationFrequency? = nil
  ) {
    self.id = id
    self.title = title
    self.artist = artist
    self.album = album
    self.duration = duration
    self.rating = rating
    self.player = player
    self.frequency = frequency
  }
}

/// A folder of films or songs, listed by the players' `catalogue.scan`.
package struct LibraryFolder: Sendable, Hashable {
  /// An absolute path.
  package var path: String

  package init(path: String) { self.path = path }
}
