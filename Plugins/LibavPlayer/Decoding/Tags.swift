/// What a file says about itself.
struct Tags: Equatable, Sendable {
  var title: String?
  var artist: String?
  var album: String?
  /// Number on its disc, from 1.
  var track: Int?
  /// Number of the disc in its set, from 1.
  var disc: Int?

  /// Tags by their common names in FLAC, Ogg, ID3 and MP4; later dictionaries fill gaps of earlier.
  init(_ dictionaries: [String: String]...) {
    func value(_ names: String...) -> String? {
      for name in names {
        for dictionary in dictionaries {
          if let text = dictionary[name].map(Tags.tidy), !text.isEmpty { return text }
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

  /// The first number of "3", "03/12" or "3 of 12".
  static func number(_ text: String?) -> Int? {
    guard let digits = text?.prefix(while: { $0.isASCII && $0.isNumber }), digits.count < 7 else {
      return nil
    }
    return Int(digits)
  }

  /// One line without control characters, at most 300 characters: tags come from strangers.
  static func tidy(_ text: String) -> String {
    var line = ""
    var wasSpace = true
    for character in text.prefix(300) {
      let isSpace =
        character.isWhitespace
        || character.unicodeScalars.contains { $0.properties.generalCategory == .control }
      if !isSpace { line.append(character) } else if !wasSpace { line.append(" ") }
      wasSpace = isSpace
    }
    if line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
