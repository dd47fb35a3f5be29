/// The names of files that are films: for the player, and for the search for folders with films.
package enum FilmFiles {
  /// The extensions of films and of images of DVDs, in lower case.
  package static let extensions: Set<String> = [
    "mkv", "mp4", "m4v", "mov", "avi", "webm", "ts", "m2ts", "mts", "mpg", "mpeg", "wmv", "flv",
    "ogv", "ogm", "3gp", "divx", "iso",
  ]
  /// The index file of a DVD folder, in lower case.
  package static let dvdIndex = "video_ts.ifo"

  /// Whether the file at a path below a media folder is a film by its name: a film, an image of a DVD, or the
  /// index file of a DVD folder, which is a folder below the media folder.
  package static func contains(_ path: String) -> Bool {
    let name = path.split(separator: "/").last?.lowercased() ?? ""
    guard let dot = name.lastIndex(of: ".") else { return false }
    return extensions.contains(String(name[name.index(after: dot)...]))
      || (name == dvdIndex && path.contains("/"))
  }
}
