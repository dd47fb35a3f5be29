/// Folders that no person has filled, and films that are no films of their own: samples, trailers and extras.
package enum IgnoredFiles {
  /// Folders of systems and network disks, in lower case: thumbnails, waste baskets, indexes.
  private static let systemFolders: Set<String> = [
    "@eadir", "@recycle", "@recently-snapshot", "@tmp", "@sharebin", "#recycle", "#snapshot",
    "$recycle.bin", "recycler", "recycled", "system volume information", "lost+found", "__macosx",
    "found.000", "network trash folder", "temporary items", "lost and found", "$winreagent",
  ]
  /// Folders with parts of films, in lower case.
  private static let extraFolders: [String: String] = [
    "sample": sample, "samples": sample, "trailer": trailer, "trailers": trailer, "extra": extra,
    "extras": extra, "featurette": extra, "featurettes": extra, "behind the scenes": extra,
    "behindthescenes": extra, "deleted scenes": extra, "deletedscenes": extra, "bonus": extra,
    "bonus features": extra, "special features": extra, "making of": extra, "proof": sample,
  ]
  /// The same, but only in the folder of a film: a collection may have folders with these names too.
  private static let extraFoldersOfFilm: Set<String> = [
    "shorts", "scenes", "interviews", "clips", "other", "others", "specials", "screens",
  ]
  /// The last word of a name behind a mark: "Night Ferry-trailer.mkv".
  private static let endings: [String: String] = [
    "sample": sample, "trailer": trailer, "teaser": trailer, "featurette": extra,
    "behindthescenes": extra, "deleted": extra, "deletedscene": extra, "interview": extra,
    "scene": extra, "short": extra, "extra": extra, "bonus": extra,
  ]
  /// The words before "trailer" that are no title.
  private static let trailerWords: Set<String> = ["theatrical", "official", "teaser", "original"]
  /// Makers of releases, who put a film of their own beside it.
  private static let advertisers: Set<String> = ["rarbg", "etrg", "yify", "ahashare"]
  private static let sample = "it is a sample"
  private static let trailer = "it is a trailer"
  private static let extra = "it is an extra of a film"

  /// Whether a folder belongs to the system. It is not searched.
  package static func isSystemFolder(_ name: String) -> Bool {
    systemFolders.contains(name.lowercased())
  }

  /// Whether a path leads through a folder of the system.
  package static func isInSystemFolder(_ path: String) -> Bool {
    path.split(separator: "/").dropLast().contains { isSystemFolder(String($0)) }
  }

  /// Returns the reason why a file is no film of its own; nil for all others.
  ///
  /// - Parameter path: The path below the media folder.
  package static func reason(ofFilm path: String) -> String? {
    let parts = path.split(separator: "/").map(String.init)
    for (index, folder) in parts.dropLast().enumerated() {
      let name = folder.lowercased()
      // A series may have this title: "Extras/Season 1/Extras.S01E01.mkv".
      let isSeries = index == 0 && parts.count > 2 && isEpisode(parts.last)
      if let reason = extraFolders[name], !isSeries { return reason }
      let isOfFilm = index > 0 && FilmTitle(ofName: parts[index - 1]).year != nil
      if isOfFilm, extraFoldersOfFilm.contains(name) { return extra }
    }
    return parts.last.flatMap(reason(ofName:))
  }

  private static func isEpisode(_ name: String?) -> Bool {
    guard let name else { return false }
    return ReleaseName(MediaName.stem(of: name)).words.contains(where: \.isEpisode)
  }

  private static func reason(ofName name: String) -> String? {
    let stem = MediaName.stem(of: name).lowercased()
    var words = stem.split { " ._-()[]".contains($0) }.map(String.init)
    if words.first.map(advertisers.contains) == true, words.count < 3 {
      return "it is an advertisement"
    }
    // "Official Trailer (HD)", "Trailer 2"
    while words.count > 1, let last = words.last,
      last.count < 3 && last.allSatisfy(ReleaseWords.isDigit) || last == "hd"
        || ReleaseWords.isCertain(last)
    {
      words.removeLast()
    }
    guard let first = words.first, let last = words.last else { return nil }
    let lastPlain = String(last.reversed().drop(while: ReleaseWords.isDigit).reversed())
    let isMain = [sample, trailer]
    if words.count == 1 { return endings[lastPlain].flatMap { isMain.contains($0) ? $0 : nil } }
    // "sample-night.ferry.mkv"
    if first == "sample", stem.dropFirst(6).first.map({ "-._".contains($0) }) == true {
      return sample
    }
    if let reason = endings[lastPlain] {
      let before = stem.prefix(upTo: stem.range(ofLast: last)?.lowerBound ?? stem.startIndex)
      switch before.last {
      case "-":
        // In "the-big-short" the hyphens stand for spaces.
        let isMark = before.contains { " ._".contains($0) }
        return isMark || isMain.contains(reason) ? reason : nil
      case "(", "[": return reason
      case ".", "_": return isMain.contains(reason) ? reason : nil
      case " ":
        // "Night Ferry Trailer", but not "The Trailer".
        let isBehindMark = before.hasSuffix("- ")
        if isBehindMark { return reason }
        let isNamed = words.count > 2 || trailerWords.contains(first)
        return isMain.contains(reason) && isNamed ? reason : nil
      default: break
      }
    }
    return reason(ofRelease: stem, words)
  }

  /// "Night.Ferry.2019.Sample.1080p": the word stands behind the title of a release.
  private static func reason(ofRelease stem: String, _ words: [String]) -> String? {
    let title = FilmTitle(ofName: stem)
    guard title.isRelease, title.year != nil || !stem.contains(" ") else { return nil }
    let count = title.title.split { " .-".contains($0) }.count
    for word in words.dropFirst(max(1, count)) {
      if word == "sample" { return sample }
      if word == "trailer" || word == "teaser" { return trailer }
    }
    return nil
  }
}

extension String {
  /// Returns the range of the last occurrence of a text.
  fileprivate func range(ofLast text: String) -> Range<Index>? { ranges(of: text).last }
}

/// The kinds of media by their names, for messages about files that a player does not play.
package enum UnplayedFiles {
  /// The extensions of films and music that no player of the theater plays, in lower case.
  private static let media: Set<String> = [
    "swf", "bik", "smk", "roq", "ivf", "mid", "midi", "mod", "xm", "s3m", "ra", "cda", "aa", "aax",
    "m4p", "nrg", "mdf", "ssif", "evo", "h264", "264", "h265", "265", "hevc", "strm", "m1v", "vro",
  ]
  /// The extensions of parts of an archive, in lower case.
  private static let archives: Set<String> = ["rar", "zip", "7z", "tar", "gz", "r00", "001"]
  private static let unfinished: Set<String> = [
    "part", "crdownload", "!qb", "!ut", "download", "partial", "aria2", "opdownload",
  ]

  /// Returns the reason why a file that may be a film or a song is not listed; nil for files that are neither.
  package static func reason(for path: String) -> String? {
    guard let ending = MediaName.fileExtension(of: path) else { return nil }
    if unfinished.contains(ending) { return "its download has not ended" }
    if archives.contains(ending) { return "it is an archive; unpack it" }
    return media.contains(ending) ? "files of the kind .\(ending) are not played" : nil
  }
}
