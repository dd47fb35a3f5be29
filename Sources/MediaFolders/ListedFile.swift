import Glibc
import JSON
import MediaNames

extension FolderWalk {
  /// Returns the absolute path of a file that a search of the folder would list; no other spelling of its path.
  ///
  /// So a command reaches exactly the files of the lists: no hidden files, none of another kind, and none behind a link
  /// to a folder. Reads the disk and blocks.
  ///
  /// - Parameter isKnown: Whether a search has listed exactly this path, so that the names on the disk need not be
  ///   compared. A file system that ignores case also opens other spellings.
  /// - Throws: `missing` for a path that no search lists, `outside` for a link that leads out of the folder, and
  ///   `unsupported` for what is not a file.
  package static func resolve(
    _ path: String, in folder: MediaFolder, kind: MediaKind, isKnown: Bool = false
  ) throws(MediaFailure) -> String {
    try checkListed(path, in: folder, isKnown: isKnown)
    // Checks that it is a file, and that a link to one stays in the folder.
    let real = try folder.resolveFile(path)
    let file = folder.root + "/" + path
    let isListed =
      kind.exclusion(path) == nil
      && (kind.matchesName(path) || (mode(of: file) == S_IFREG && kind.matchesContent(file)))
    guard isListed else { throw notListed(path) }
    return real
  }

  /// Checks that a search of the folder reads an entry, a file or a folder, and writes its path so. Reads the disk and
  /// blocks.
  ///
  /// - Parameter isKnown: As in ``resolve(_:in:kind:isKnown:)``.
  /// - Throws: `missing` for any other path.
  package static func checkListed(
    _ path: String, in folder: MediaFolder, isKnown: Bool = false
  ) throws(MediaFailure) {
    let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isPlain = names.allSatisfy { !$0.isEmpty && $0.first != UInt8(ascii: ".") }
    guard isPlain, !IgnoredFiles.isInSystemFolder(path + "/"), names.count <= deepest + 1,
      path.isStreamSafe, !path.utf8.contains(0)
    else {
      throw notListed(path)
    }
    var parent = folder.root
    for (index, name) in names.enumerated() {
      guard let name = String(name) else { throw notListed(path) }
      if !isKnown { try require(name, in: parent, of: path) }
      parent += "/" + name
      // A search does not follow links to folders.
      if index < names.count - 1, mode(of: parent) != S_IFDIR { throw notListed(path) }
    }
  }

  /// Checks that a folder has an entry with exactly this name.
  private static func require(
    _ name: String, in parent: String, of path: String
  ) throws(MediaFailure) {
    guard let directory = opendir(parent) else {
      throw MediaFailure(
        .missing, subject: path, detail: MediaFolder.systemText(errno),
        hint: "Scan the library again.")
    }
    defer { closedir(directory) }
    var entries = 0
    while entries <= mostEntries, let entry = readdir(directory) {
      entries += 1
      if self.name(entry)?.utf8.elementsEqual(name.utf8) == true { return }
    }
    throw notListed(path)
  }

  /// Returns the kind of a file, without following a link; nil if there is none.
  private static func mode(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func notListed(_ path: String) -> MediaFailure {
    MediaFailure(
      .missing, subject: path, detail: "it is not in the list of this folder",
      hint: "Choose it from the list, or scan the library again.")
  }
}
