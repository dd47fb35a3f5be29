/// The names of files that are films: for the player, and for the search for folders with films.
package enum FilmFiles {
  /// The extensions of films and of images of DVDs, in lower case.
  package static let extensions: Set<String> = [
    "mkv", "mp4", "m4v", "mov", "avi", "webm", "ts", "m2ts", "mts", "mpg", "mpeg", "wmv", "flv",
    "ogv", "ogm", "3gp", "divx", "iso",
  ]
  /// The index file of a DVD folder, in lower case.
  package static let dvdIndex = "video_ts.ifo"

  /// Returns whether the name of a file shows that it is a film, an image of a DVD or the index file of a DVD folder.
  ///
  /// - Parameter path: The path below the media folder. An index file directly in the media folder does not count.
  package static func contains(_ path: String) -> Bool {
    let name = path.split(separator: "/").last?.lowercased() ?? ""
    guard let dot = name.lastIndex(of: ".") else { return false }
    return extensions.contains(String(name[name.index(after: dot)...]))
      || (name == dvdIndex && path.contains("/"))
  }
}
