import Devices
import Synchronization

/// The media folders that a player knows, and the songs that were found in them.
///
/// Items are named `FOLDER/PATH`: the media folder's own name and the path below it. Reading happens
/// on threads of its own, so that a slow disk holds up nothing else.
final class MediaLibrary: Sendable {
  fileprivate struct Shelf {
    let folder: MediaFolder
    /// By the path below the folder.
    var songs: [String: Song] = [:]
    /// The stamps of all files that a scan has looked at, by path.
    var known: [String: String] = [:]
  }
  private let shelves = Mutex<[Shelf]>([])
  private let scanner: Scanner

  /// Scans a folder for files that are not known with their stamps.
  typealias Scanner =
    @Sendable (MediaFolder, _ known: [String: String]) throws(MediaFailure) -> FolderScan

  /// - Parameter scanner: Scans a folder; by default in a process of its own.
  init(
    scanner: @escaping Scanner = { (folder, known) throws(MediaFailure) in
      try ScanProcess().scan(folder, known: known)
    }
  ) {
    self.scanner = scanner
  }

  /// Makes the files below `path` playable. Of folders with the same name the first added keeps it.
  func add(_ path: String) throws(MediaFailure) -> MediaFolder {
    let folder = try MediaFolder(path)
    return shelves.withLock { shelves in
      if let known = shelves.first(where: { $0.folder.root == folder.root }) { return known.folder }
      let named = folder.distinguished(from: shelves.map(\.folder))
      shelves.append(Shelf(folder: named))
      return named
    }
  }

  /// The media folders, in the order in which they were added.
  var folders: [MediaFolder] { shelves.withLock { $0.map(\.folder) } }

  /// The file behind an item's name; throws `missing` where there is none.
  func resolve(_ item: String) throws(MediaFailure) -> PlayableSong {
    var failure = MediaFailure(
      .missing, subject: item, detail: "it is in none of the media folders",
      hint: "See what there is: theater songs. Read the media folders again: theater library scan")
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

  /// Scans a folder for what is new and answers all of its songs, in order, and what was skipped.
  func scan(_ path: String) async throws(MediaFailure) -> (items: [CatalogueItem], SkippedFiles) {
    let folder = try add(path)
    let known = shelf(of: folder)?.known ?? [:]
    let scanner = scanner
    let result = await onOwnThread { () -> Result<FolderScan, MediaFailure> in
      do throws(MediaFailure) { return .success(try scanner(folder, known)) } catch {
        return .failure(error)
      }
    }
    let scan = try result.get()
    let songs = shelves.withLock { shelves -> [Song] in
      guard let index = shelves.firstIndex(where: { $0.folder == folder }) else { return [] }
      shelves[index].take(scan)
      return shelves[index].songs.values.sorted(by: Song.precedes)
    }
    return (songs.map { CatalogueItem($0, in: folder) }, scan.skipped)
  }

  /// The songs of the disc (the folder) that `song` lies on, in order.
  func disc(of song: PlayableSong) async -> [PlayableSong] {
    await onOwnThread { self.listDisc(of: song) }
  }

  /// The same for a thread that may wait. Opens the songs that no scan has seen.
  func listDisc(of song: PlayableSong) -> [PlayableSong] {
    guard let folder = folders.first(where: { $0.path(of: song.item) != nil }),
      let path = folder.path(of: song.item)
    else { return [song] }
    return listSongs(in: Song.folder(of: path), of: folder)
  }

  /// The first disc of the first media folder that holds music.
  func firstDisc() async -> [PlayableSong] {
    await onOwnThread {
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
    let shelf = shelf(of: folder)
    let walk = FolderWalk(folder, from: disc, recursive: false)
    // Music may be waiting: no file is read as a whole only to learn its length.
    let scan = try? FolderScan(
      folder, walk: walk, known: shelf?.known ?? [:], limits: ScanLimits(counted: 0))
    guard let scan else { return [] }
    var songs = shelf?.songs ?? [:]
    for song in scan.songs { songs[song.id] = song }
    return scan.present.compactMap { songs[$0.path] }.sorted(by: Song.precedes).map {
      PlayableSong(item: folder.item(of: $0.id), path: folder.root + "/" + $0.id)
    }
  }

  private func shelf(of folder: MediaFolder) -> Shelf? {
    shelves.withLock { $0.first { $0.folder == folder } }
  }
}

extension MediaLibrary.Shelf {
  /// Takes what a scan has found, and forgets what is gone.
  fileprivate mutating func take(_ scan: FolderScan) {
    // A file that has changed into something that is no song is known and no song any more.
    let before = known
    known = scan.stamps
    songs = songs.filter { known[$0.key] != nil && known[$0.key] == before[$0.key] }
    for song in scan.songs { songs[song.id] = song }
  }
}

extension CatalogueItem {
  /// A song as lists show it.
  init(_ song: Song, in folder: MediaFolder) {
    self.init(
      id: folder.item(of: song.id), title: song.title, artist: song.artist, album: song.album,
      track: song.track, duration: song.duration, format: song.format, channels: song.channels)
  }
}

extension MediaLibrary {
  /// Waits a moment for a folder that holds `item` to be named: after a restart the song that
  /// played comes back before the folders have been scanned again.
  func folderAppears(for item: String, clock: any TheaterClock) async -> Bool {
    for _ in 0..<30 {
      if folders.contains(where: { $0.path(of: item) != nil }) { return true }
      // Known folders and none fits: waiting would not help.
      if !folders.isEmpty { return false }
      do {
        try await clock.sleep(until: clock.now() + .milliseconds(100))
      } catch {
        return false
      }
    }
    return false
  }
}
