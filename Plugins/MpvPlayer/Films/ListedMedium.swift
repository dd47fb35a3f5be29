import Glibc
import MediaFolders
import MediaNames

/// The media that a scan lists. Commands name them by these ids only: other spellings of a path, hidden files, files of
/// other kinds and files behind a link to a folder are refused, although they exist.
enum ListedMedium {
  /// Returns the medium of a path below a media folder. Reads the disk and blocks.
  ///
  /// - Parameters:
  ///   - parts: The paths of the files of the film, if they are known; otherwise its folder is searched for them.
  ///   - isKnown: Whether a search has just listed exactly this path (see ``FolderWalk``). Then it is not about to
  ///     play, and its subtitles are not looked for.
  /// - Throws: `missing` if there is nothing, or if a scan does not list it; `outside` if it is a link out of the
  /// folder.
  static func find(
    _ path: String, parts: [String]? = nil, in folder: MediaFolder, kind: MediaKind,
    isKnown: Bool = false
  ) throws(MediaFailure) -> Medium {
    let item = folder.item(of: path)
    if let index = index(of: path, in: folder, isKnown: isKnown), kind.matchesName(index) {
      try checkLinks(beside: index, in: folder)
      return Medium(item: item, source: try source(ofDisc: path, index: index, in: folder))
    }
    let file = try FolderWalk.resolve(path, in: folder, kind: kind, isKnown: isKnown)
    // The index of a disc is listed as its folder.
    guard FilmFiles.discFolder(ofIndex: path) == nil else { throw notListed(path) }
    if MediaFiles.isImage(path) { return Medium(item: item, source: .dvd(file)) }
    let further = parts.map { Array($0.dropFirst()) }
    let others = kind.isOfFilms ? further ?? self.parts(after: path, in: folder, kind) : []
    if !others.isEmpty {
      var files = [file]
      for part in others { files.append(try FolderWalk.resolve(part, in: folder, kind: kind)) }
      return Medium(item: item, source: .files(files))
    }
    return Medium(
      item: item, source: .address(file),
      hasForeignSubtitles: hasForeignFile(beside: path, in: folder),
      subtitles: kind.isOfFilms && !isKnown ? SubtitleFiles.find(of: path, in: folder) : [])
  }

  /// Returns the paths of the further files of a film whose first file is at `path`.
  private static func parts(
    after path: String, in folder: MediaFolder, _ kind: MediaKind
  ) -> [String] {
    guard FilmPart(path: path)?.number == 1 else { return [] }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    let files = FolderWalk(folder, kind: kind, from: parent, recursive: false).files
    return FilmPart.groups(of: files.map(\.path))[path] ?? []
  }

  /// Returns the source of a disc folder. libdvdread finds the files of a DVD in `VIDEO_TS`, in `video_ts` or in the
  /// folder that it is given.
  private static func source(
    ofDisc path: String, index: String, in folder: MediaFolder
  ) throws(MediaFailure) -> Medium.Source {
    let real = try folder.resolve(path)
    if index.lowercased().hasSuffix(FilmFiles.blurayIndex) { return .bluray(real) }
    let files = String(index.dropLast(FilmFiles.dvdIndex.utf8.count + 1))
    let name = files == path ? "VIDEO_TS" : files.split(separator: "/").last ?? ""
    let isFound = name == "VIDEO_TS" || name == "video_ts"
    return .dvd(isFound ? real : try folder.resolve(files))
  }

  /// Returns the index file of a disc folder, as a path below the media folder; nil for other paths.
  private static func index(of path: String, in folder: MediaFolder, isKnown: Bool) -> String? {
    guard kind(of: path, in: folder) == S_IFDIR,
      (try? FolderWalk.checkListed(path, in: folder, isKnown: isKnown)) != nil
    else { return nil }
    // Their spelling is no part of the id.
    let folders =
      [path]
      + entries(of: path, in: folder).filter {
        ["video_ts", "bdmv"].contains($0.lowercased())
      }.map { "\(path)/\($0)" }
    return folders.flatMap { place in entries(of: place, in: folder).map { "\(place)/\($0)" } }
      .first { file in
        FilmFiles.discFolder(ofIndex: file) == path
          && (try? FolderWalk.checkListed(file, in: folder, isKnown: true)) != nil
          && access("\(folder.root)/\(file)", R_OK) == 0 && (try? folder.resolveFile(file)) != nil
      }
  }

  /// Returns the names in a folder that may be a disc.
  private static func entries(of path: String, in folder: MediaFolder) -> [String] {
    guard let directory = opendir("\(folder.root)/\(path)") else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    for _ in 0..<FolderWalk.mostFiles {
      guard let entry = readdir(directory) else { break }
      if let name = FolderWalk.name(entry) { names.append(name) }
    }
    return names
  }

  /// - Throws: `outside` if a file beside this one is a link out of the media folder.
  private static func checkLinks(
    beside path: String, in folder: MediaFolder
  ) throws(MediaFailure) {
    for name in links(beside: path, in: folder) { _ = try folder.resolve(name) }
  }

  /// Whether a file beside a film with the film's name, such as its subtitles, is a link out of the media folder.
  private static func hasForeignFile(beside path: String, in folder: MediaFolder) -> Bool {
    let stem = path.lastIndex(of: ".").map { path[..<$0] } ?? path[...]
    return links(beside: path, in: folder).contains { link in
      link.utf8.starts(with: stem.utf8) && (try? folder.resolve(link)) == nil
    }
  }

  /// Returns the links in the folder of a file, as paths below the media folder.
  private static func links(beside path: String, in folder: MediaFolder) -> [String] {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    guard let directory = opendir("\(folder.root)/\(parent)") else { return [] }
    defer { closedir(directory) }
    var links: [String] = []
    for _ in 0..<FolderWalk.mostFiles {
      guard let entry = readdir(directory) else { break }
      guard [UInt8(DT_LNK), UInt8(DT_UNKNOWN)].contains(entry.pointee.d_type) else { continue }
      guard let name = FolderWalk.name(entry) else { continue }
      let link = parent.isEmpty ? name : "\(parent)/\(name)"
      if kind(of: link, in: folder) == S_IFLNK { links.append(link) }
    }
    return links
  }

  /// Returns the kind of the file itself, not of the one that a link leads to; nil without a file.
  private static func kind(of path: String, in folder: MediaFolder) -> mode_t? {
    var status = stat()
    guard lstat("\(folder.root)/\(path)", &status) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }

  private static func notListed(_ path: String) -> MediaFailure {
    MediaFailure(
      .missing, subject: path, detail: "no scan lists it",
      hint: "Use an id from the list of titles.")
  }
}
