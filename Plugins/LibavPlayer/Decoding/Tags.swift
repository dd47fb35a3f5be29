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
    title = value("title", "nam").map(Tags.single)
    artist = value("artist", "album_artist", "albumartist", "performer", "composer")
      .map { Tags.joined(Tags.values($0)) }
    album = value("album").map(Tags.single)
    track = Tags.number(value("track", "tracknumber"))
    disc = Tags.number(value("disc", "discnumber", "disk"))
  }

  /// Returns several names as people read them: "First, Second"; each name once.
  static func joined(_ names: [String]) -> String {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }.joined(separator: ", ")
  }

  /// Returns the values that libav has joined with a semicolon, as it does with several tags of one name.
  static func values(_ text: String) -> [String] {
    // The semicolon of "&amp;" separates nothing.
    guard text.utf8.contains(UInt8(ascii: ";")), !text.utf8.contains(UInt8(ascii: "&")) else {
      return [text]
    }
    let names = text.split(separator: ";").map {
      String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
    let filled = names.filter { !$0.isEmpty }
    return filled.isEmpty ? [text] : filled
  }

  /// Returns a text that stands there several times once; every other text as it is.
  static func single(_ text: String) -> String {
    let values = values(text)
    return Set(values).count == 1 ? values[0] : text
  }

  /// The first number of "3", "03/12" or "3 of 12"; nil for 0, which files use for "unknown".
  static func number(_ text: String?) -> Int? {
    guard let digits = text?.prefix(while: { $0.isASCII && $0.isNumber }), digits.count < 7 else {
      return nil
    }
    return Int(digits).flatMap { $0 > 0 ? $0 : nil }
  }
}
