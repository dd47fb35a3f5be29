import Glibc
import MediaFolders
import MediaNames

/// The files with subtitles in a folder `Subs` beside a film. mpv itself finds those beside the film with its name.
enum SubtitleFiles {
  /// The names of such folders, in lower case.
  private static let folders: Set<String> = ["subs", "sub", "subtitles", "subtitle", "untertitel"]
  private static let endings: Set<String> = [
    "srt", "ass", "ssa", "vtt", "idx", "sub", "sup", "smi",
  ]
  /// The most files that are loaded.
  static let most = 64

  /// Returns the absolute paths of a film's files: those that begin with its name, those in a folder of its name, and
  /// all if the film is the only one in its folder. Files behind links out of the media folder are left out. Reads the
  /// disk and blocks.
  ///
  /// - Parameter film: The path of the film below the media folder.
  static func find(of film: String, in folder: MediaFolder) -> [String] {
    let parent = film.lastIndex(of: "/").map { String(film[..<$0]) } ?? ""
    let stem = MediaName.stem(of: film)
    let beside = entries(of: parent, in: folder)
    let others = beside.filter { FilmFiles.extensions.contains(ending(of: $0)) }
      .map { MediaName.stem(of: $0) }
    var found: [String] = []
    for name in beside where folders.contains(name.lowercased()) {
      let subs = parent.isEmpty ? name : "\(parent)/\(name)"
      let names = entries(of: subs, in: folder)
      let files = names.filter { isSubtitle($0) }
      let own = files.filter { belongs($0, to: stem, beside: others) }
      found += own.map { "\(subs)/\($0)" }
      if names.contains(stem) {
        found += entries(of: "\(subs)/\(stem)", in: folder).filter { isSubtitle($0) }
          .map { "\(subs)/\(stem)/\($0)" }
      }
      if own.isEmpty, !files.isEmpty, isOnlyFilm(in: parent, of: folder) {
        found += files.map { "\(subs)/\($0)" }
      }
    }
    let indexes = Set(found.filter { ending(of: $0) == "idx" }.map { $0.dropLast(4) })
    // An index names the file with the pictures beside it.
    return found.filter { ending(of: $0) != "sub" || !indexes.contains($0.dropLast(4)) }
      .sorted(by: NaturalOrder.precedes(path:_:)).prefix(most)
      .compactMap { try? folder.resolveFile($0) }
  }

  /// Returns the last part of a path without its extension.
  static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Whether a file with subtitles begins with the name of a film, and not with the longer name of another film beside
  /// it: "Aliens.en.srt" is not of "Alien", nor "Rocky II.en.srt" of "Rocky".
  static func belongs(_ file: String, to stem: String, beside others: [String]) -> Bool {
    guard file.utf8.starts(with: stem.utf8) else { return false }
    guard let next = file.utf8.dropFirst(stem.utf8.count).first.map(Unicode.Scalar.init),
      " ._-[(".unicodeScalars.contains(next)
    else { return false }
    return !others.contains {
      $0.utf8.count > stem.utf8.count && $0.utf8.starts(with: stem.utf8)
        && file.utf8.starts(with: $0.utf8)
    }
  }

  private static func ending(of name: String) -> String {
    MediaName.fileExtension(of: name) ?? ""
  }

  private static func isSubtitle(_ name: String) -> Bool { endings.contains(ending(of: name)) }

  private static func isOnlyFilm(in parent: String, of folder: MediaFolder) -> Bool {
    let films = FolderWalk(
      folder, kind: MediaFiles.filmKind, from: parent, recursive: false, mostFiles: 10
    ).files.map(\.path)
    let further = FilmPart.groups(of: films).values.reduce(0) { $0 + $1.count }
    return films.count - further == 1
  }

  /// Returns the names in a folder of a media folder, without hidden ones.
  private static func entries(of path: String, in folder: MediaFolder) -> [String] {
    guard let real = try? folder.resolve(path), let directory = opendir(real) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    for _ in 0..<FolderWalk.mostFiles {
      guard let entry = readdir(directory) else { break }
      guard let name = FolderWalk.name(entry), !name.hasPrefix(".") else { continue }
      names.append(name)
    }
    return names
  }
}
