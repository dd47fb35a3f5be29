import Devices
import MediaFolders
import Platform
import Synchronization

/// The media folders that a player knows, and the songs that were found in them.
///
/// Items are named `FOLDER/PATH`: the media folder's name and the path below it. Disks are read on
/// separate threads, so that a slow one delays nothing else. Safe from any thread.
final class MediaLibrary: Sendable {
  private struct FolderIndex {
    let folder: MediaFolder
    /// The songs by their paths below the folder.
    var songs: [String: Song] = [:]
    /// The stamps of all files that a scan has read, by path.
    var known: [String: String] = [:]

    /// Adds the songs of a scan, and removes those whose files have changed or gone.
    mutating func apply(_ scan: FolderScan) {
      // A file that has changed into something that is no song is known and no song any more.
      let before = known
      known = scan.stamps
      songs = songs.filter { known[$0.key] != nil && known[$0.key] == before[$0.key] }
      for song in scan.songs { songs[song.id] = song }
    }
  }

  private struct State {
    /// In the order in which they were added.
    var folders: [FolderIndex] = []
    var names = FolderNames()
  }
  private let state = Mutex(State())
  private let scanner: Scanner

  /// Scans a folder for files that are not known with their stamps.
  typealias Scanner =
    @Sendable (MediaFolder, _ known: [String: String]) throws(MediaFailure) -> FolderScan

  /// Creates an empty library.
  ///
  /// - Parameter scanner: Scans a folder; by default in a process of its own.
  init(
    scanner: @escaping Scanner = { (folder, known) throws(MediaFailure) in
      try ScanProcess().scan(folder, known: known)
    }
  ) {
    self.scanner = scanner
  }

  /// Makes the files below `path` playable, and reserves the folder's name even if it is missing: of
  /// folders with the same name the one that was first added, mounted or not, has the plain name.
  func add(_ path: String) throws(MediaFailure) -> MediaFolder {
    // The disk is read without the lock.
    let expected = FolderNames.expectedRoot(of: path)
    state.withLock { _ = $0.names.reserve(for: expected) }
    let root = try MediaFolder.root(of: path)
    return state.withLock { state in
      let folder = MediaFolder(root: root, name: state.names.reserve(for: root))
      if !state.folders.contains(where: { $0.folder == folder }) {
        state.folders.append(FolderIndex(folder: folder))
      }
      return folder
    }
  }

  /// The media folders, in the order in which they were added.
  var folders: [MediaFolder] { state.withLock { $0.folders.map(\.folder) } }

  /// Returns the file of an item; throws `missing` if there is none.
  func resolve(_ item: String) throws(MediaFailure) -> PlayableSong {
    var failure = MediaFailure(
      .missing, subject: item, detail: "it is in none of the media folders",
      hint: "See the list of songs, or scan the library again.")
    for folder in folders {
      guard let path = folder.path(of: item) else { continue }
      do {
        return PlayableSong(item: item, path: try folder.resolveFile(path))
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Returns the file of an item, after a wait of at most 3 s for its folder: after a restart the
  /// song that played is restored before the folders have been scanned again.
  func resolve(
    _ item: String, clock: any TheaterClock
  ) async throws(MediaFailure) -> PlayableSong {
    do {
      return try resolve(item)
    } catch {
      guard error.kind == .missing, await waitForFolder(of: item, clock: clock) else { throw error }
    }
    return try resolve(item)
  }

  private func waitForFolder(of item: String, clock: any TheaterClock) async -> Bool {
    for _ in 0..<30 {
      if folders.contains(where: { $0.path(of: item) != nil }) { return true }
      // Where other folders are known, waiting would not help.
      if !folders.isEmpty { return false }
      do {
        try await clock.sleep(for: .milliseconds(100))
      } catch {
        return false
      }
    }
    return false
  }

  /// Scans a folder for new and changed files. Returns all of its songs, in order, and the skipped files.
  func scan(_ path: String) async throws(MediaFailure) -> (items: [CatalogueItem], SkippedFiles) {
    let folder = try add(path)
    let known = index(of: folder)?.known ?? [:]
    let scanner = scanner
    let scan = try await SystemThread.run(name: "scan") { () throws(MediaFailure) in
      try scanner(folder, known)
    }
    let songs = state.withLock { state -> [Song] in
      guard let index = state.folders.firstIndex(where: { $0.folder == folder }) else { return [] }
      state.folders[index].apply(scan)
      return state.folders[index].songs.values.sorted(by: Song.precedes)
    }
    return (songs.map { CatalogueItem($0, in: folder) }, scan.skipped)
  }

  /// Lists the songs of the disc (the folder) of `song`, in order.
  func disc(of song: PlayableSong) async -> [PlayableSong] {
    await SystemThread.run(name: "disc") { self.listDisc(of: song) }
  }

  /// Lists the songs of the disc of `song`; blocks. Opens the files that no scan has read.
  func listDisc(of song: PlayableSong) -> [PlayableSong] {
    guard let folder = folders.first(where: { $0.path(of: song.item) != nil }),
      let path = folder.path(of: song.item)
    else { return [song] }
    return listSongs(in: Song.folder(of: path), of: folder)
  }

  /// Lists the songs of the first disc of the first media folder with music.
  func firstDisc() async -> [PlayableSong] {
    await SystemThread.run(name: "disc") {
      for folder in self.folders {
        let discs = Set(FolderWalk(folder).files.map { Song.folder(of: $0.path) })
        guard let first = discs.min(by: NaturalOrder.precedes) else { continue }
        let songs = self.listSongs(in: first, of: folder)
        if !songs.isEmpty { return songs }
      }
      return []
    }
  }

  private func listSongs(in disc: String, of folder: MediaFolder) -> [PlayableSong] {
    let index = index(of: folder)
    let walk = FolderWalk(folder, from: disc, recursive: false)
    // Music may be waiting: no file is read as a whole only to learn its length.
    let scan = try? FolderScan(
      folder, walk: walk, known: index?.known ?? [:], limits: ScanLimits(counted: 0))
    guard let scan else { return [] }
    var songs = index?.songs ?? [:]
    for song in scan.songs { songs[song.id] = song }
    return scan.present.compactMap { songs[$0.path] }.sorted(by: Song.precedes).map {
      PlayableSong(item: folder.item(of: $0.id), path: folder.root + "/" + $0.id)
    }
  }

  private func index(of folder: MediaFolder) -> FolderIndex? {
    state.withLock { $0.folders.first { $0.folder == folder } }
  }
}

extension CatalogueItem {
  /// Creates the catalogue's entry of a song.
  init(_ song: Song, in folder: MediaFolder) {
    self.init(
      id: folder.item(of: song.id), title: song.title, artist: song.artist, album: song.album,
      track: song.track, duration: song.duration, format: song.format, channels: song.channels)
  }
}
