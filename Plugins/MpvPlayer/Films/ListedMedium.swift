import Glibc
import MediaFolders

/// The media that a scan lists. Commands name them by these ids only: other spellings of a path, hidden files, files of
/// other kinds and files behind a link to a folder are refused, although they exist.
enum ListedMedium {
  /// The index files of a DVD, by their paths below its folder.
  private static let indexes = ["VIDEO_TS/VIDEO_TS.IFO", "VIDEO_TS.IFO", "video_ts/video_ts.ifo"]

  /// Returns the medium of a path below a media folder. Reads the disk and blocks.
  ///
  /// - Parameter isKnown: Whether a search has just listed exactly this path (see ``FolderWalk``).
  /// - Throws: `missing` if there is nothing, or if a scan does not list it; `outside` if it is a link out of the
  /// folder.
  static func find(
    _ path: String, in folder: MediaFolder, kind: MediaKind, isKnown: Bool = false
  ) throws(MediaFailure) -> Medium {
    let item = folder.item(of: path)
    if let index = index(of: path, in: folder, isKnown: isKnown), kind.matchesName(index) {
      try checkLinks(beside: index, in: folder)
      return Medium(item: item, source: .dvd(try folder.resolve(path)))
    }
    let file = try FolderWalk.resolve(path, in: folder, kind: kind, isKnown: isKnown)
    // The index of a DVD is listed as its folder.
    guard MediaFiles.dvdFolder(ofIndex: path) == nil else { throw notListed(path) }
    if MediaFiles.isImage(path) { return Medium(item: item, source: .dvd(file)) }
    return Medium(
      item: item, source: .address(file),
      hasForeignSubtitles: hasForeignFile(beside: path, in: folder))
  }

  /// Returns the index file of a DVD folder, as a path below the media folder; nil for other paths.
  private static func index(of path: String, in folder: MediaFolder, isKnown: Bool) -> String? {
    guard kind(of: path, in: folder) == S_IFDIR,
      (try? FolderWalk.checkListed(path, in: folder, isKnown: isKnown)) != nil
    else { return nil }
    // Their spelling is no part of the id.
    return indexes.map { "\(path)/\($0)" }.first { file in
      MediaFiles.dvdFolder(ofIndex: file) == path
        && (try? FolderWalk.checkListed(file, in: folder, isKnown: true)) != nil
        && access("\(folder.root)/\(file)", R_OK) == 0 && (try? folder.resolveFile(file)) != nil
    }
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
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      guard let name else { continue }
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
