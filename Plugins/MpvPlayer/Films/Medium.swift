import JSON
import MediaFolders
import MediaNames

/// A file, stream or disc that mpv can load.
struct Medium: Equatable, Sendable {
  /// The location of the medium.
  enum Source: Equatable, Sendable {
    /// A file, by its absolute path, or a stream, by its address.
    case address(String)
    /// A DVD: the absolute path of a drive, an image or a folder.
    case dvd(String)
    /// A Blu-ray disc: the absolute path of its folder.
    case bluray(String)
    /// A film in several files: their absolute paths.
    case files([String])
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
  /// The absolute paths of the subtitle files in a folder `Subs` beside the film.
  var subtitles: [String] = []
  /// Whether no song follows, so that silence is added at its end.
  var isLast = true

  /// The argument of `loadfile`.
  var address: String {
    switch source {
    case .address(let address): address
    case .dvd: "dvd://"
    // The longest title is the film.
    case .bluray: "bd://longest"
    case .files(let paths): Self.sequence(of: paths)
    case .audioCD: "cdda://"
    }
  }

  /// The absolute path of its file, folder or drive, or the address of a stream.
  private var location: String {
    switch source {
    case .address(let location), .dvd(let location), .audioCD(let location), .bluray(let location):
      location
    case .files(let paths): paths.first ?? ""
    }
  }

  /// Returns mpv's address of files that play one after the other (EDL). Each path has its length in bytes before it,
  /// so that no character of it has a meaning.
  private static func sequence(of paths: [String]) -> String {
    "edl://" + paths.map { "%\($0.utf8.count)%\($0)" }.joined(separator: ";")
  }

  /// The absolute paths of the files of a film in several files; empty for all other media.
  var parts: [String] { if case .files(let paths) = source { paths } else { [] } }

  /// The absolute path of its file, folder or drive; nil for streams.
  var path: String? { location.hasPrefix("/") ? location : nil }

  /// Whether it is an audio CD, whose chapters are songs.
  var isAudioCD: Bool { if case .audioCD = source { true } else { false } }

  /// The options of mpv while the medium is loaded; nil for none.
  var options: JSON? {
    if let network { return network.options }
    // A film in several files is a list of references, which this program has made.
    return parts.isEmpty ? nil : ["access-references": "yes"]
  }

  /// Whether it is a DVD.
  var isDVD: Bool { if case .dvd = source { true } else { false } }

  /// Whether it is a DVD or a Blu-ray disc.
  var isDisc: Bool {
    switch source {
    case .dvd, .bluray: true
    case .address, .files, .audioCD: false
    }
  }

  /// The mpv property that selects the disc, and its value; nil for files and streams.
  var device: (property: String, path: String)? {
    switch source {
    case .address, .files: nil
    case .dvd(let path): ("dvd-device", path)
    case .bluray(let path): ("bluray-device", path)
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
  /// Films, images of DVDs, and the index files of DVD and Blu-ray folders.
  static let filmKind = MediaKind(
    isOfFilms: true, matchesName: FilmFiles.contains,
    exclusion: { path in
      FilmFiles.contains(path)
        ? IgnoredFiles.reason(ofFilm: path) : UnplayedFiles.reason(for: path)
    })

  /// Songs.
  static let songKind = MediaKind(
    matchesName: { path in
      MediaName.fileExtension(of: path).map(SongFiles.extensions.contains) ?? false
    },
    exclusion: UnplayedFiles.reason(for:))

  /// Whether a file is an image of a DVD, by its name.
  static func isImage(_ path: String) -> Bool { MediaName.fileExtension(of: path) == "iso" }

  /// Derives a title from the path of a film, of a disc folder or of a song.
  static func title(of path: String) -> String {
    if path == FilmLibrary.disc { return "DVD" }
    let ending = MediaName.fileExtension(of: path) ?? ""
    let isSong = SongFiles.extensions.contains(ending) && !FilmFiles.extensions.contains(ending)
    return isSong ? SongTitle.title(ofPath: path) : FilmTitle(ofPath: path).text
  }
}
