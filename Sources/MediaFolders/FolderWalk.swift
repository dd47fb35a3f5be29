import Glibc
import JSON
import MediaNames

/// A media file that a ``FolderWalk`` has found.
package struct FoundFile: Equatable, Sendable {
  /// The path below the media folder.
  package let path: String
  /// A text that changes whenever the file is written to, replaced, renamed or moved.
  package let stamp: String

  package init(path: String, stamp: String) {
    self.path = path
    self.stamp = stamp
  }
}

/// The kind of files that a ``FolderWalk`` looks for.
package struct MediaKind: Sendable {
  /// Returns whether the path of a file below the media folder shows that it is of this kind. Does not read the file.
  package let matchesName: @Sendable (_ path: String) -> Bool
  /// Returns whether the file at an absolute path is of this kind although its name does not show it. It may read
  /// the file.
  package let matchesContent: @Sendable (_ path: String) -> Bool
  /// Returns the reason why a file is not listed although it is media; nil for files that are listed, and for files
  /// that are no media at all.
  package let exclusion: @Sendable (_ path: String) -> String?
  /// Whether the files are films, of which one may lie in several files.
  package let isOfFilms: Bool

  package init(
    isOfFilms: Bool = false, matchesName: @escaping @Sendable (String) -> Bool,
    matchesContent: @escaping @Sendable (String) -> Bool = { _ in false },
    exclusion: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.isOfFilms = isOfFilms
    self.matchesName = matchesName
    self.matchesContent = matchesContent
    self.exclusion = exclusion
  }

  /// Returns whether a search lists the file at a path below a media folder by its name.
  func lists(_ path: String) -> Bool { matchesName(path) && exclusion(path) == nil }
}

/// A search for the media files of a folder and its subfolders.
package struct FolderWalk {
  /// The most nested folders; deeper ones are skipped, with a message.
  package static let deepest = 16
  /// The most media files; the search ends there, with a message.
  package static let mostFiles = 100_000
  /// The most folder entries, skipped ones included; the search ends there, with a message.
  package static let mostEntries = 1_000_000

  /// The media files, in no order.
  package private(set) var files: [FoundFile] = []
  /// The skipped files and folders, with the reasons.
  package private(set) var skipped = SkippedFiles()
  private let folder: MediaFolder
  private let kind: MediaKind
  private let mostFiles: Int
  private let mostEntries: Int
  private let onlyFirst: Bool
  private var entries = 0
  private var isFull = false

  /// Searches `folder`, or its subfolder `start`. Reads the disk and blocks.
  ///
  /// - Parameters:
  ///   - start: The path of the subfolder below `folder`; empty for `folder` itself.
  ///   - recursive: Whether to search the folders in it too.
  ///   - mostFiles: The most media files.
  ///   - mostEntries: The most folder entries, skipped ones included.
  package init(
    _ folder: MediaFolder, kind: MediaKind, from start: String = "", recursive: Bool = true,
    mostFiles: Int = Self.mostFiles, mostEntries: Int = Self.mostEntries
  ) {
    self.init(folder, kind, mostFiles: mostFiles, mostEntries: mostEntries, onlyFirst: false)
    walk(start, depth: 0, recursive: recursive)
  }

  /// Returns the first media file of a folder and its subfolders, each in natural order; nil if there is none. Reads
  /// only the folders before it, and blocks.
  package static func first(in folder: MediaFolder, kind: MediaKind) -> FoundFile? {
    var walk = FolderWalk(
      folder, kind, mostFiles: 1, mostEntries: Self.mostEntries, onlyFirst: true)
    walk.walk("", depth: 0, recursive: true)
    return walk.files.first
  }

  private init(
    _ folder: MediaFolder, _ kind: MediaKind, mostFiles: Int, mostEntries: Int, onlyFirst: Bool
  ) {
    self.folder = folder
    self.kind = kind
    self.mostFiles = mostFiles
    self.mostEntries = mostEntries
    self.onlyFirst = onlyFirst
  }

  private mutating func walk(_ relative: String, depth: Int, recursive: Bool) {
    var paths = list(relative)
    if onlyFirst { paths.sort(by: NaturalOrder.precedes(path:_:)) }
    for path in paths {
      if isFull { return }
      examine(path, depth: depth, recursive: recursive)
    }
    if entries > mostEntries, !isFull { stop(mostEntries, "entries") }
  }

  /// Returns the paths of a folder's entries, in the order of the disk.
  private mutating func list(_ relative: String) -> [String] {
    guard let directory = opendir(folder.root + "/" + relative) else {
      skip(relative.isEmpty ? folder.root : relative, MediaFolder.systemText(errno))
      return []
    }
    defer { closedir(directory) }
    var paths: [String] = []
    while entries <= mostEntries, let entry = readdir(directory) {
      entries += 1
      guard let name = FolderWalk.name(entry) else {
        skip(relative.isEmpty ? folder.root : relative, "a file's name is not UTF-8; rename it")
        continue
      }
      guard !name.utf8.starts(with: ".".utf8), !IgnoredFiles.isSystemFolder(name) else { continue }
      let path = relative.isEmpty ? name : relative + "/" + name
      guard name.isStreamSafe else {
        skip(path, "its name has too many combining marks in a row; rename it")
        continue
      }
      if entries <= mostEntries { paths.append(path) }
    }
    return paths
  }

  private mutating func examine(_ path: String, depth: Int, recursive: Bool) {
    var status = stat()
    guard lstat(folder.root + "/" + path, &status) == 0 else { return }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    if isLink {
      let isListed = kind.lists(path)
      do {
        guard try stat(folder.resolve(path), &status) == 0 else { return }
      } catch {
        // A link to a file that is no media, or that is gone, is not worth a message; one to a folder is.
        let isFolder = stat(folder.root + "/" + path, &status) == 0 && status.isFolder
        return isListed || isFolder ? skipped.append(error) : ()
      }
      guard isListed || status.isFolder else { return }
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR where isLink:
      // Links to folders are not followed: they could list files twice or form a cycle.
      guard recursive else { return }
      skip(
        path, "it is a link to a folder, and such links are not followed",
        hint: "Name the folder itself among the folders of the player.")
    case S_IFDIR where recursive:
      guard depth < Self.deepest else {
        return skip(
          path, "it lies more than \(Self.deepest) folders deep, so its files are not listed",
          hint: "Move it further up.")
      }
      walk(path, depth: depth + 1, recursive: true)
    case S_IFREG:
      if let reason = kind.exclusion(path) {
        return skipped.append(MediaFailure(.unsupported, subject: path, detail: reason))
      }
      guard isMedia(path) else { return }
      guard files.count < mostFiles else { return stop(mostFiles, "files") }
      files.append(FoundFile(path: path, stamp: FolderWalk.stamp(status)))
      if onlyFirst { isFull = true }
    default: break
    }
  }

  /// Whether a file that is not excluded is of the kind.
  private func isMedia(_ path: String) -> Bool {
    kind.matchesName(path) || kind.matchesContent(folder.root + "/" + path)
  }

  private mutating func stop(_ count: Int, _ things: String) {
    isFull = true
    skip(
      folder.root, "only the first \(count) \(things) in it are listed",
      hint: "Name the folders below it one by one.")
  }

  private mutating func skip(_ subject: String, _ detail: String, hint: String = "") {
    skipped.append(MediaFailure(.unreachable, subject: subject, detail: detail, hint: hint))
  }

  /// Returns the modification time, the change time of the inode, the size and the inode number. The modification
  /// time alone is not enough: files keep it when they are moved.
  private static func stamp(_ status: stat) -> String {
    func text(_ time: timespec) -> String { "\(time.tv_sec).\(time.tv_nsec)" }
    return "\(text(status.st_mtim)) \(text(status.st_ctim)) \(status.st_size) \(status.st_ino)"
  }

  /// Returns the name of a folder's entry; nil if it is not UTF-8.
  package static func name(_ entry: UnsafeMutablePointer<dirent>) -> String? {
    withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
        String(validatingCString: $0)
      }
    }
  }
}

extension stat {
  fileprivate var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}
