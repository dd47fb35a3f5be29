import MediaFolders

/// The tags of a music file.
struct Tags: Equatable, Sendable {
  /// At most ``MediaText/longestTag`` bytes, like ``artist`` and ``album``.
  var title: String?
  var artist: String?
  var album: String?
  /// Number on its disc, from 1.
  var track: Int?
  /// Number of the disc in its set, from 1.
  var disc: Int?

  /// Reads the tags in libav's dictionaries by their common names in FLAC, Ogg, ID3 and MP4; later
  /// dictionaries fill gaps of earlier ones.
  init(_ dictionaries: OpaquePointer?...) {
    func value(_ names: String...) -> String? {
      for name in names {
        for dictionary in dictionaries {
          if let text = LibavDictionary.tag(name, in: dictionary) { return text }
        }
      }
      return nil
    }
    title = value("title", "nam")
    artist = value("artist", "album_artist", "albumartist", "performer", "composer")
    album = value("album")
    track = Tags.number(value("track", "tracknumber"))
    disc = Tags.number(value("disc", "discnumber", "disk"))
  }

  /// The first number of "3", "03/12" or "3 of 12"; nil for 0, which files use for "unknown".
  static func number(_ text: String?) -> Int? {
    guard let digits = text?.prefix(while: { $0.isASCII && $0.isNumber }), digits.count < 7 else {
      return nil
    }
    return Int(digits).flatMap { $0 > 0 ? $0 : nil }
  }
}
