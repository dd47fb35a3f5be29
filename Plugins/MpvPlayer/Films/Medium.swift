import Glibc
import MediaFolders

/// Something that mpv can load.
struct Medium: Equatable, Sendable {
  /// How mpv reaches it.
  enum Source: Equatable, Sendable {
    /// A file, by its absolute path, or a stream, by its address.
    case address(String)
    /// A DVD: the absolute path of a drive, an image or a folder.
    case dvd(String)
    /// An audio CD: the path of a drive.
    case audioCD(String)
  }

  /// Its name in commands.
  let item: String
  let source: Source

  /// The argument of `loadfile`.
  var address: String {
    switch source {
    case .address(let address): address
    case .dvd: "dvd://"
    case .audioCD: "cdda://"
    }
  }

  /// The property that names the disc, and its value.
  var device: (property: String, path: String)? {
    switch source {
    case .address: nil
    case .dvd(let path): ("dvd-device", path)
    case .audioCD(let path): ("cdrom-device", path)
    }
  }
}

/// The kinds of files that a player plays.
enum MediaFiles {
  private static let films: Set<String> = [
    "mkv", "mp4", "m4v", "mov", "avi", "webm", "ts", "m2ts", "mts", "mpg", "mpeg", "wmv", "flv",
    "ogv", "ogm", "3gp", "divx", "iso",
  ]
  private static let songs: Set<String> = [
    "flac", "mp3", "ogg", "oga", "opus", "m4a", "aac", "wav", "aif", "aiff", "wma", "ape", "wv",
    "mka", "mpc", "tta",
  ]
  /// The file by which a folder is known as a DVD.
  private static let dvdIndex = "video_ts.ifo"

  /// Films, images of DVDs, and the index files of DVD folders.
  static let filmKind = MediaKind { path in
    films.contains(ending(of: path)) || path.lowercased().hasSuffix("/" + dvdIndex)
  }

  static let songKind = MediaKind { path in songs.contains(ending(of: path)) }

  /// Whether a file is an image of a DVD, by its name.
  static func isImage(_ path: String) -> Bool { ending(of: path) == "iso" }

  /// The DVD folder whose index file lies at this path; nil for other files.
  static func dvdFolder(ofIndex path: String) -> String? {
    var parts = path.split(separator: "/")
    guard parts.last?.lowercased() == dvdIndex else { return nil }
    parts.removeLast()
    if parts.last?.lowercased() == "video_ts" { parts.removeLast() }
    // The media folder itself has no name below itself.
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }

  /// Whether the folder at an absolute path is a DVD.
  static func isDVD(_ path: String) -> Bool {
    ["VIDEO_TS/VIDEO_TS.IFO", "VIDEO_TS.IFO", "video_ts/video_ts.ifo"].contains {
      access("\(path)/\($0)", R_OK) == 0
    }
  }

  /// A title from a path: its last part, for a file without the ending.
  static func title(of path: String) -> String {
    let name = path.split(separator: "/").last ?? Substring(path)
    let isFile = !ending(of: path).isEmpty
    let bare = isFile ? name.lastIndex(of: ".").map { name[..<$0] } ?? name : name
    return String(bare.isEmpty ? name : bare).replacing("_", with: " ")
  }

  private static func ending(of path: String) -> String {
    guard let dot = path.lastIndex(of: ".") else { return "" }
    let ending = path[path.index(after: dot)...].lowercased()
    return films.contains(ending) || songs.contains(ending) ? ending : ""
  }
}
