import MediaFolders

/// A file, stream or disc that mpv can load.
struct Medium: Equatable, Sendable {
  /// The location of the medium.
  enum Source: Equatable, Sendable {
    /// A file, by its absolute path, or a stream, by its address.
    case address(String)
    /// A DVD: the absolute path of a drive, an image or a folder.
    case dvd(String)
    /// An audio CD: the path of a drive.
    case audioCD(String)
  }

  /// The id of its item in commands.
  let item: String
  let source: Source
  /// The access to the network of a stream; nil for files and discs, which have none.
  var network: Network?
  /// Whether a subtitle file beside the film is a link out of the media folder, so that none is loaded.
  var hasForeignSubtitles = false
  /// Whether no song follows, so that silence is added at its end.
  var isLast = true

  /// The argument of `loadfile`.
  var address: String {
    switch source {
    case .address(let address): address
    case .dvd: "dvd://"
    case .audioCD: "cdda://"
    }
  }

  /// The absolute path of its file, folder or drive, or the address of a stream.
  private var location: String {
    switch source {
    case .address(let location), .dvd(let location), .audioCD(let location): location
    }
  }

  /// The absolute path of its file, folder or drive; nil for streams.
  var path: String? { location.hasPrefix("/") ? location : nil }

  /// Whether it is an audio CD, whose chapters are songs.
  var isAudioCD: Bool { if case .audioCD = source { true } else { false } }

  /// Whether it is a DVD.
  var isDVD: Bool { if case .dvd = source { true } else { false } }

  /// The mpv property that selects the disc, and its value; nil for files and streams.
  var device: (property: String, path: String)? {
    switch source {
    case .address: nil
    case .dvd(let path): ("dvd-device", path)
    case .audioCD(let path): ("cdrom-device", path)
    }
  }
}

/// A medium below a media folder.
struct LocatedMedium: Sendable {
  let folder: MediaFolder
  /// The path below the folder.
  let path: String
  let medium: Medium
}

/// The kinds of files that a player plays.
enum MediaFiles {
  private static let songs: Set<String> = [
    "flac", "mp3", "ogg", "oga", "opus", "m4a", "aac", "wav", "aif", "aiff", "wma", "ape", "wv",
    "mka", "mpc", "tta",
  ]

  /// Films, images of DVDs, and the index files of DVD folders.
  static let filmKind = MediaKind(matchesName: FilmFiles.contains)

  /// Songs.
  static let songKind = MediaKind { path in songs.contains(fileExtension(of: path)) }

  /// Whether a file is an image of a DVD, by its name.
  static func isImage(_ path: String) -> Bool { fileExtension(of: path) == "iso" }

  /// Returns the path of the DVD folder of an index file; both paths are below the media folder. Nil for other files,
  /// and for an index file directly in the media folder.
  static func dvdFolder(ofIndex path: String) -> String? {
    var parts = path.split(separator: "/")
    guard parts.last?.lowercased() == FilmFiles.dvdIndex else { return nil }
    parts.removeLast()
    if parts.last?.lowercased() == "video_ts" { parts.removeLast() }
    // It is empty if the DVD folder is the media folder itself, which has no path below itself.
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }

  /// Derives a title from a path: its last part without the extension of a media file, and with spaces for underscores.
  static func title(of path: String) -> String {
    if path == FilmLibrary.disc { return "DVD" }
    let name = path.split(separator: "/").last ?? Substring(path)
    let isFile = !fileExtension(of: path).isEmpty
    let bare = isFile ? name.lastIndex(of: ".").map { name[..<$0] } ?? name : name
    return String(bare.isEmpty ? name : bare).replacing("_", with: " ")
  }

  /// Returns the extension of a path in lower case if media files have it; otherwise an empty text.
  private static func fileExtension(of path: String) -> String {
    guard let dot = path.lastIndex(of: ".") else { return "" }
    let ending = path[path.index(after: dot)...].lowercased()
    return FilmFiles.extensions.contains(ending) || songs.contains(ending) ? ending : ""
  }
}
