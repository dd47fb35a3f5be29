import JSON

/// A film, song or station in a player's catalogue.
public struct CatalogueItem: Sendable, Hashable {
  /// The id for `play`, unique in the player's catalogue; for a station its name.
  public var id: String
  /// The title for people.
  public var title: String
  /// The artist of a song; `nil` if it is unknown.
  public var artist: String?
  /// The album of a song; `nil` if it is unknown.
  public var album: String?
  /// The number of the song on its album; `nil` if it is unknown.
  public var track: Int?
  /// The number of the disc in the album's set; `nil` if it is unknown.
  public var disc: Int?
  /// In seconds.
  public var duration: Double?
  /// `flac`, `mp3`, `simulated` …
  public var format: String?
  /// The number of audio channels; `nil` if it is unknown.
  public var channels: Int?
  /// Whether its player may have a picture of it.
  public var hasPicture: Bool

  public init(
    id: String, title: String, artist: String? = nil, album: String? = nil, track: Int? = nil,
    disc: Int? = nil, duration: Double? = nil, format: String? = nil, channels: Int? = nil,
    hasPicture: Bool = false
  ) {
    self.id = id
    self.title = title
    self.artist = artist
    self.album = album
    self.track = track
    self.disc = disc
    self.duration = duration
    self.format = format
    self.channels = channels
    self.hasPicture = hasPicture
  }

  /// Reads the format of `json`; `nil` without an id and a title. Numbers out of range are left out.
  public init?(_ json: JSON) {
    guard let id = json["id"]?.string, !id.isEmpty, let title = json["title"]?.string else {
      return nil
    }
    self.init(
      id: id, title: title, artist: json["artist"]?.string, album: json["album"]?.string,
      track: json["track"]?.integer.flatMap { Self.trackRange.contains($0) ? $0 : nil },
      disc: json["disc"]?.integer.flatMap { Self.trackRange.contains($0) ? $0 : nil },
      duration: json["duration"]?.number.flatMap {
        Playback.secondsRange.contains($0) ? $0 : nil
      },
      format: json["format"]?.string,
      channels: json["channels"]?.integer.flatMap { Self.channelRange.contains($0) ? $0 : nil },
      hasPicture: json["picture"]?.bool ?? false)
  }

  /// The item for the wire and the API.
  public var json: JSON {
    var object: JSONObject = ["id": .string(id), "title": .string(title)]
    if let artist { object["artist"] = .string(artist) }
    if let album { object["album"] = .string(album) }
    if let track { object["track"] = .integer(track) }
    if let disc { object["disc"] = .integer(disc) }
    if let duration { object["duration"] = .number(duration) }
    if let format { object["format"] = .string(format) }
    if let channels { object["channels"] = .integer(channels) }
    if hasPicture { object["picture"] = .bool(true) }
    return .object(object)
  }
}
