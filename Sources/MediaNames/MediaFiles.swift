/// The names of files that are films: for the player, and for the search for folders with films.
package enum FilmFiles {
  /// The extensions of films and of images of DVDs, in lower case.
  package static let extensions: Set<String> = [
    "mkv", "mp4", "m4v", "mov", "avi", "webm", "ts", "m2ts", "mts", "mpg", "mpeg", "wmv", "flv",
    "ogv", "ogm", "3gp", "divx", "iso", "vob", "asf", "f4v", "mpe", "m2v", "m2t", "trp", "rm",
    "rmvb", "3g2", "qt", "wtv", "dvr-ms", "mk3d",
  ]
  /// The index file of a DVD folder, in lower case.
  package static let dvdIndex = "video_ts.ifo"
  /// The index file of a Blu-ray folder, in lower case; it lies in the folder `BDMV`.
  package static let blurayIndex = "index.bdmv"

  /// Returns whether the name of a file shows that it is a film, an image of a DVD or the index file of a DVD or
  /// Blu-ray folder. The files of such a folder are no films of their own.
  ///
  /// - Parameter path: The path below the media folder. An index file directly in the media folder does not count.
  package static func contains(_ path: String) -> Bool {
    let parts = path.split(separator: "/").map { $0.lowercased() }
    guard let name = parts.last, let ending = MediaName.fileExtension(of: name) else {
      return false
    }
    let folders = parts.dropLast()
    if name == dvdIndex { return !folders.isEmpty }
    if name == blurayIndex { return folders.count > 1 && folders.last == "bdmv" }
    return extensions.contains(ending) && !isPartOfDisc(name, ending, in: folders)
  }

  /// Returns the path of the DVD or Blu-ray folder of an index file; both paths are below the media folder. Nil for
  /// other files, and for an index file directly in the media folder.
  package static func discFolder(ofIndex path: String) -> String? {
    var parts = path.split(separator: "/")
    let name = parts.popLast()?.lowercased()
    let parent = parts.last?.lowercased()
    switch name {
    case dvdIndex: if parent == "video_ts" { parts.removeLast() }
    case blurayIndex where parent == "bdmv": parts.removeLast()
    default: return nil
    }
    // It is empty if the disc folder is the media folder itself, which has no path below itself.
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }

  /// Whether a file in lower case belongs to a DVD or Blu-ray folder, whose index file stands for all of them.
  private static func isPartOfDisc(
    _ name: String, _ ending: String, in folders: ArraySlice<String>
  ) -> Bool {
    if folders.contains("bdmv") || folders.contains("video_ts") { return true }
    guard ending == "vob" else { return false }
    let isTitleSet =
      name.hasPrefix("vts_") && name.utf8.count == 12
      && name.dropFirst(4).dropLast(4).allSatisfy { $0.isNumber || $0 == "_" }
    return isTitleSet || name == "video_ts.vob"
  }
}

/// The names of files that are music.
package enum SongFiles {
  /// The extensions of music files, in lower case.
  package static let extensions: Set<String> = [
    "flac", "mp3", "mp2", "mpga", "ogg", "oga", "opus", "spx", "m4a", "m4b", "aac", "wav", "wave",
    "w64", "aif", "aiff", "aifc", "au", "snd", "caf", "wma", "ape", "wv", "mka", "mpc", "tta",
    "tak", "shn", "dsf", "dff", "amr", "awb", "3ga", "dts", "ac3", "eac3", "ec3", "webm", "weba",
  ]
}

/// The parts of a file's name.
package enum MediaName {
  /// Returns the extension of a file's name or path in lower case; nil without one.
  package static func fileExtension(of path: String) -> String? {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
    let ending = Substring(name[name.index(after: dot)...]).lowercased()
    return ending.isEmpty ? nil : ending
  }

  /// Returns the last part of a path without the extension of a media file.
  package static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let ending = fileExtension(of: name),
      FilmFiles.extensions.contains(ending) || SongFiles.extensions.contains(ending)
    else { return name }
    return String(name.unicodeScalars.dropLast(ending.unicodeScalars.count + 1))
  }
}
