import Devices
import Glibc
import JSON
import MediaFolders
import MediaNames

/// The search for folders with films and music: those of the user, and disks.
package struct FolderSearch: DeviceSearch {
  /// The bounds of a search.
  package struct Limits: Sendable {
    /// The most levels of folders below a candidate.
    package var depth = 6
    /// The most entries of one candidate; hidden entries count.
    package var entries = 20_000
    /// The longest time for all candidates.
    package var time = Duration.seconds(5)
    package init() {}
  }

  package let kind = DiscoveryKind.folders
  private let home: String?
  private let settings: String?
  private let root: String
  private let limits: Limits
  /// The most candidates; further ones are left out.
  private static let mostFolders = 64

  /// - Parameters:
  ///   - home: The user's home.
  ///   - settings: The folder of the user's settings; `.config` in the home if `nil`.
  ///   - root: The folder that stands for `/` in `/media`, `/mnt` and `/srv`.
  package init(
    home: String?, settings: String? = nil, root: String = "", limits: Limits = Limits()
  ) {
    self.home = home
    self.settings = settings
    self.root = root
    self.limits = limits
  }

  package func run() async -> DiscoveryResult {
    await SearchThread.run("folder-search") { search($0) }
  }

  private func search(_ flag: CancellationFlag) -> DiscoveryResult {
    let deadline = SearchDeadline(after: limits.time, or: flag)
    var result = DiscoveryResult()
    var seen: Set<String> = []
    let candidates = self.candidates
    if candidates.count > Self.mostFolders {
      result.problems.append(
        "folders: only the first \(Self.mostFolders) of \(candidates.count) folders were searched")
    }
    for folder in candidates.prefix(Self.mostFolders) {
      guard let path = Self.resolved(folder), seen.insert(path).inserted else { continue }
      guard !deadline.isOver else {
        result.problems.append(
          "folders: the time limit ended the search before all folders were searched")
        break
      }
      var count = MediaCount(limits: limits, deadline: deadline)
      count.walk(path, depth: 0)
      result.findings += findings(folder, count)
    }
    return result
  }

  private func findings(_ path: String, _ count: MediaCount) -> [DiscoveryFinding] {
    let more = count.isCut ? "at least " : ""
    var found: [DiscoveryFinding] = []
    if count.films > 0 {
      found.append(
        DiscoveryFinding(
          .folders, id: "films:\(path)",
          title: "Folder with \(more)\(count.films) \(count.films == 1 ? "film" : "films")",
          place: path, roles: [.dvdPlayer], plugin: "MpvPlayer",
          options: ["folders": [.string(path)]]))
    }
    if count.songs > 0 {
      found.append(
        DiscoveryFinding(
          .folders, id: "music:\(path)",
          title: "Folder with \(more)\(count.songs) \(count.songs == 1 ? "song" : "songs")",
          place: path, roles: [.cdPlayer], plugin: "LibavPlayer",
          options: ["folders": [.string(path)]]))
    }
    return found
  }

  /// The folders of the user, then the disks.
  private var candidates: [String] {
    var found: [String] = []
    if let home {
      let settings = settings ?? home + "/.config"
      let text = SystemFiles(root: "").text(settings + "/user-dirs.dirs") ?? ""
      found = Self.userFolders(text, home: home)
      if found.isEmpty { found = ["\(home)/Videos", "\(home)/Music"] }
    }
    let files = SystemFiles(root: root)
    for user in files.names("/media", most: 32) {
      found += files.names("/media/\(user)", most: 32).map { "\(root)/media/\(user)/\($0)" }
    }
    for base in ["/mnt", "/srv"] {
      found += files.names(base, most: 32).map { "\(root)\(base)/\($0)" }
    }
    return found
  }

  /// Returns the folders for music and films in the text of `user-dirs.dirs`.
  static func userFolders(_ text: String, home: String) -> [String] {
    text.split(separator: "\n").prefix(64).compactMap { line in
      guard let equals = line.firstIndex(of: "="),
        ["XDG_MUSIC_DIR", "XDG_VIDEOS_DIR"].contains(String(line[..<equals]))
      else { return nil }
      var path = String(line[line.index(after: equals)...].filter { $0 != "\"" })
      if path.hasPrefix("$HOME/") { path = home + path.dropFirst(5) }
      // The file turns a folder off by naming the home itself.
      return path.hasPrefix("/") && path != home && path != home + "/" ? path : nil
    }
  }

  private static func resolved(_ path: String) -> String? {
    guard path.isStreamSafe, path.utf8.count < 4096, let real = realpath(path, nil) else {
      return nil
    }
    defer { free(real) }
    return String(validatingCString: real)
  }
}

/// Counts films and songs below a folder, within bounds. Links are not followed.
private struct MediaCount {
  let limits: FolderSearch.Limits
  let deadline: SearchDeadline
  private(set) var films = 0
  private(set) var songs = 0
  private(set) var isCut = false
  /// The number of entries that were read so far.
  private var entries = 0

  init(limits: FolderSearch.Limits, deadline: SearchDeadline) {
    self.limits = limits
    self.deadline = deadline
  }

  /// - Parameter relative: The path below the candidate, with a slash at its end; empty for the candidate itself.
  mutating func walk(_ path: String, below relative: String = "", depth: Int) {
    let folder = FolderEntries(path, most: limits.entries - entries, until: deadline)
    entries += folder.count
    if folder.isCut { isCut = true }
    for name in folder.names {
      guard !deadline.isOver else {
        isCut = true
        return
      }
      var facts = stat()
      guard lstat("\(path)/\(name)", &facts) == 0 else { continue }
      switch facts.st_mode & S_IFMT {
      case S_IFDIR where !IgnoredFiles.isSystemFolder(name):
        guard depth < limits.depth else {
          isCut = true
          continue
        }
        walk("\(path)/\(name)", below: "\(relative)\(name)/", depth: depth + 1)
      case S_IFREG: count(relative + name)
      default: break
      }
    }
  }

  /// Counts a file.
  ///
  /// - Parameter path: The path below the candidate: the index file of a disc counts only in a folder (`FilmFiles`).
  private mutating func count(_ path: String) {
    guard path.utf8.count <= 4096, let ending = MediaName.fileExtension(of: path) else { return }
    let isFilm = FilmFiles.contains(path)
    if isFilm, IgnoredFiles.reason(ofFilm: path) == nil { films += 1 }
    if !isFilm, SongFiles.extensions.contains(ending) { songs += 1 }
  }
}
