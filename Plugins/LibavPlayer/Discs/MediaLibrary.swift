import Devices
import MediaFolders
import MediaNames
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
    /// The messages about files that a scan has read and left out, by path.
    var leftOut: [String: MediaFailure] = [:]

    /// Adds the songs of a scan, and removes those whose files have changed or gone.
    mutating func apply(_ scan: FolderScan) {
      // A file that has changed into something that is no song is known and no song any more.
      let before = known
      known = scan.stamps
      songs = songs.filter { known[$0.key] != nil && known[$0.key] == before[$0.key] }
      for song in scan.songs { songs[song.id] = song }
      leftOut = leftOut.filter { known[$0.key] != nil && known[$0.key] == before[$0.key] }
      for failure in scan.skippedAfterReading.failures where known[failure.subject] != nil {
        leftOut[failure.subject] = failure
      }
    }

    /// Returns the skipped files of a scan, and those that it did not read again.
    func skipped(by scan: FolderScan) -> SkippedFiles {
      var all = scan.skipped
      let named = Set(scan.skippedAfterReading.failures.map(\.subject))
      for (path, failure) in leftOut.sorted(by: { $0.key < $1.key }) where !named.contains(path) {
        all.append(failure)
      }
      return all
    }
  }

  private struct State {
    /// In the order in which they were added.
    var folders: [FolderIndex] = []
    var names = FolderNames()
    /// The number of scans and additions in progress, and when the last one ended, in monotonic ns.
    var searches = 0
    var lastSearch = MonotonicClock.now
  }
  private let state = Mutex(State())
  private let scanner: Scanner
  private let disk: DiskCalls

  /// Scans a folder for files that are not known with their stamps.
  typealias Scanner =
    @Sendable (MediaFolder, _ known: [String: String]) throws(MediaFailure) -> FolderScan

  /// Creates an empty library.
  ///
  /// - Parameters:
  ///   - disk: Reads the disks, each with a limit of time.
  ///   - scanner: Scans a folder; by default in a process of its own.
  init(
    disk: DiskCalls = DiskCalls(limit: .seconds(5)),
    scanner: @escaping Scanner = { (folder, known) throws(MediaFailure) in
      try ScanProcess().scan(folder, known: known)
    }
  ) {
    self.disk = disk
    self.scanner = scanner
  }

  /// The longest wait in ns for a folder that no scan has named yet.
  private static let longestWait: Int64 = 3_000_000_000
  /// The longest time for the list of a disc, of which some files may have to be read first.
  private static let listTime = Duration.seconds(20)

  /// Adds folders beside each other, so that one that does not answer delays none.
  ///
  /// - Parameter failed: Called for each folder that cannot be added.
  func add(_ paths: [String], failed: @escaping @Sendable (String, MediaFailure) async -> Void)
    async
  {
    beginSearch()
    defer { endSearch() }
    // Of folders with the same name the first one gets it.
    let names = paths.map { $0.split(separator: "/").last }
    let areDistinct = Set(names).count == names.count
    await withTaskGroup(of: Void.self) { group in
      for path in paths {
        group.addTask {
          do throws(MediaFailure) {
            _ = try await self.addInTime(path)
          } catch {
            await failed(path, error)
          }
        }
        if !areDistinct { await group.waitForAll() }
      }
    }
  }

  /// Makes the files below `path` playable, in limited time.
  func addInTime(_ path: String) async throws(MediaFailure) -> MediaFolder {
    try await disk.run(at: path) { () throws(MediaFailure) in
      let folder = try self.add(path)
      try folder.checkAnswers()
      return folder
    }
  }

  private func beginSearch() { state.withLock { $0.searches += 1 } }

  private func endSearch() {
    state.withLock { state in
      state.searches -= 1
      state.lastSearch = MonotonicClock.now
    }
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
        // The path that was checked: a link could lead elsewhere when the file is opened.
        let real = try FolderWalk.resolve(
          path, in: folder, kind: FolderWalk.music, isKnown: isKnown(path, in: folder))
        return PlayableSong(item: item, path: real)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Whether a scan has read a file with exactly this path.
  private func isKnown(_ path: String, in folder: MediaFolder) -> Bool {
    guard let known = index(of: folder)?.known, let index = known.index(forKey: path) else {
      return false
    }
    // Names that are equal in Unicode may belong to two files.
    return known[index].key.utf8.elementsEqual(path.utf8)
  }

  /// Returns the file of an item in limited time. Waits for its folder while folders are being added and scanned: after
  /// a start, songs are played before the folders have been named.
  func resolve(
    _ item: String, clock: any TheaterClock
  ) async throws(MediaFailure) -> PlayableSong {
    let folder = await folder(clock: clock) { folders in
      folders.first { $0.path(of: item) != nil }
    }
    guard let folder else { return try resolve(item) }
    return try await disk.run(at: folder.root) { () throws(MediaFailure) in
      try self.resolve(item)
    }
  }

  /// Waits for a folder while folders are being added and scanned, and 3 s more; at most 20 s.
  private func folder(
    clock: any TheaterClock, _ choose: ([MediaFolder]) -> MediaFolder?
  ) async -> MediaFolder? {
    let end = MonotonicClock.now + 20_000_000_000
    while MonotonicClock.now < end {
      if let folder = choose(folders) { return folder }
      let (isSearching, last) = state.withLock { ($0.searches > 0, $0.lastSearch) }
      do {
        if isSearching {
          try await Task.sleep(for: .milliseconds(20))
        } else if MonotonicClock.now - last < Self.longestWait {
          try await clock.sleep(for: .milliseconds(100))
        } else {
          return nil
        }
      } catch {
        return nil
      }
    }
    return nil
  }

  /// Scans a folder for new and changed files. Returns all of its songs, in order, and the skipped files.
  func scan(_ path: String) async throws(MediaFailure) -> (items: [CatalogueItem], SkippedFiles) {
    beginSearch()
    defer { endSearch() }
    let folder = try await addInTime(path)
    let known = index(of: folder)?.known ?? [:]
    let scanner = scanner
    let scan = try await SystemThread.run(name: "scan") { () throws(MediaFailure) in
      try scanner(folder, known)
    }
    let (songs, skipped) = state.withLock { state -> ([Song], SkippedFiles) in
      guard let index = state.folders.firstIndex(where: { $0.folder == folder }) else {
        return ([], scan.skipped)
      }
      state.folders[index].apply(scan)
      return (
        state.folders[index].songs.values.sorted(by: Song.precedes),
        state.folders[index].skipped(by: scan)
      )
    }
    return (songs.map { CatalogueItem($0, in: folder) }, skipped)
  }

  /// Lists the songs of the disc (the folder) of `song`, in order and in limited time.
  func disc(of song: PlayableSong) async throws(MediaFailure) -> [PlayableSong] {
    guard let folder = folders.first(where: { $0.path(of: song.item) != nil }) else {
      return [song]
    }
    return try await disk.run(at: folder.root, limit: Self.listTime) {
      self.listDisc(of: song)
    }
  }

  /// Lists the songs of the disc of `song`; blocks. Opens the files that no scan has read.
  func listDisc(of song: PlayableSong) -> [PlayableSong] {
    guard let folder = folders.first(where: { $0.path(of: song.item) != nil }),
      let path = folder.path(of: song.item)
    else { return [song] }
    return listSongs(in: Song.folder(of: path), of: folder)
  }

  /// Returns the first song of the first media folder with music; nil if there is none. Passes over folders that do not
  /// answer, and waits as ``resolve(_:clock:)`` does while there is no folder.
  func firstSong(clock: any TheaterClock) async throws(MediaFailure) -> PlayableSong? {
    _ = await folder(clock: clock, \.first)
    var failure: MediaFailure?
    for folder in folders {
      do throws(MediaFailure) {
        try await disk.run(at: folder.root) { () throws(MediaFailure) in
          try folder.checkAnswers()
        }
        let song = try await disk.run(at: folder.root, limit: Self.listTime) {
          self.firstSong(in: folder)
        }
        if let song { return song }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return nil
  }

  private func firstSong(in folder: MediaFolder) -> PlayableSong? {
    let discs = Set(FolderWalk(folder).files.map { Song.folder(of: $0.path) })
    return discs.min(by: NaturalOrder.precedes(path:_:)).flatMap {
      listSongs(in: $0, of: folder).first
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
    return scan.present.compactMap { songs[$0.path] }.sorted(by: Song.precedes).compactMap { song in
      guard let path = try? folder.resolveFile(song.id) else { return nil }
      return PlayableSong(item: folder.item(of: song.id), path: path)
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
      track: song.track, disc: song.disc, duration: song.duration, format: song.format,
      channels: song.channels)
  }
}
