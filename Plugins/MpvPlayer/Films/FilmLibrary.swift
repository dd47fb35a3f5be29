import Devices
import Glibc
import MediaFolders
import MediaNames
import Platform
import Synchronization

/// The media that a player can play: the files of its folders, its streams and the disc in its drive.
///
/// The id of a file is `FOLDER/PATH`, where `FOLDER` is the name of its media folder, as in LibavPlayer. The id of a
/// stream is `stream/NAME`, and that of the disc is `disc`.
///
/// Disks are read on separate threads, because they may block. Safe from any thread.
final class FilmLibrary: Sendable {
  /// The id of the disc in the drive.
  static let disc = "disc"
  private static let streamPrefix = "stream/"

  private struct State {
    /// The media folders, in the order in which they were added.
    var folders: [MediaFolder] = []
    var names = FolderNames()
    /// The paths that were given for ``folders``.
    var added: Set<String> = []
    /// The sizes in bytes of the file that was opened last and of the one that follows it by itself, and their paths.
    var opened: [(path: String, size: Int)] = []
    /// The items of the last scan of each folder, by id. An item is valid until the stamp of its file changes.
    var known: [String: (stamp: String, item: CatalogueItem)] = [:]
  }

  /// The drive of the options.
  let drive: Drive
  /// The calls that read disks.
  let calls = DiskCalls()
  private let state = Mutex(State())
  private let options: MpvOptions
  private let streams: NetworkStreams
  private let kind: MediaKind
  private let isCD: Bool
  private let setup: MpvSetup
  private let clock: any TheaterClock

  /// - Parameter isCD: Whether it lists songs and plays audio CDs; otherwise films and DVDs.
  init(_ options: MpvOptions, isCD: Bool, setup: MpvSetup, clock: any TheaterClock) {
    self.options = options
    self.isCD = isCD
    self.setup = setup
    self.clock = clock
    streams = NetworkStreams(makeProxy: setup.makeProxy)
    drive = Drive(options.drive, kernel: setup.drives)
    kind = isCD ? MediaFiles.songKind : MediaFiles.filmKind
  }

  /// Makes the files of the configured folders playable. Waits a short time for a disk or share that does not answer,
  /// and for all of them at the same time.
  ///
  /// - Returns: The failures of folders that are missing or do not answer. They are tried again when they are needed.
  func addFolders() async -> [MediaFailure] {
    let roots = await withTaskGroup(of: (String, String?).self) { group in
      for path in options.folders {
        group.addTask {
          (path, try? await self.calls.run(at: path) { FolderNames.expectedRoot(of: path) })
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    // In the order of the options, so that no folder's name depends on how fast its disk is.
    for path in options.folders {
      state.withLock { _ = $0.names.reserve(for: roots[path] ?? path) }
    }
    return await addMissingFolders()
  }

  /// Adds the configured folders that are not playable yet. Returns the failures.
  private func addMissingFolders() async -> [MediaFailure] {
    await withTaskGroup(of: MediaFailure?.self) { group in
      for path in options.folders where !state.withLock({ $0.added.contains(path) }) {
        group.addTask {
          do throws(MediaFailure) {
            try await self.addInTime(path)
            return nil
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: []) { if let failure = $1 { $0.append(failure) } }
    }
  }

  /// Makes the files below `path` playable. Reads the disk and blocks.
  ///
  /// - Throws: `missing` if there is no folder at `path`.
  @discardableResult
  func add(_ path: String) throws(MediaFailure) -> MediaFolder {
    let expected = FolderNames.expectedRoot(of: path)
    state.withLock { _ = $0.names.reserve(for: expected) }
    let root = try MediaFolder.root(of: path)
    return state.withLock { state in
      let folder = MediaFolder(root: root, name: state.names.reserve(for: root))
      if !state.folders.contains(folder) { state.folders.append(folder) }
      state.added.insert(path)
      return folder
    }
  }

  /// Makes the files below `path` playable, also after it was given up.
  ///
  /// - Throws: `missing` if there is no folder at `path`, `unreachable` if its disk or share does not answer.
  @discardableResult
  private func addInTime(_ path: String) async throws(MediaFailure) -> MediaFolder {
    try await calls.run(at: path) { [self] () throws(MediaFailure) in try add(path) }
  }

  // MARK: Scans

  /// Lists the media of one folder in natural order; without a folder, the media of all configured folders, the
  /// streams and the disc.
  ///
  /// - Parameter skipped: Called with each file or folder that is not listed.
  /// - Throws: The failure of the given folder; failures of the configured folders are only passed to `skipped`.
  ///   `cancelled` in a cancelled task.
  func scan(
    _ folder: String?, skipped: (MediaFailure) -> Void
  ) async throws(MediaFailure) -> [CatalogueItem] {
    var prober = MediaProber(setup: setup, clock: clock)
    var items: [CatalogueItem] = []
    var failure: MediaFailure?
    for path in folder.map({ [$0] }) ?? options.folders {
      do throws(MediaFailure) {
        items += try await scan(path, with: &prober, skipped: skipped)
      } catch {
        failure = error
        if error.kind == .cancelled { break }
        skipped(error)
      }
    }
    await prober.end()
    if let failure, folder != nil || failure.kind == .cancelled { throw failure }
    if folder == nil { items += await ownItems() }
    return items
  }

  /// The state of the drive; `busy` if it does not answer.
  private func driveState() async -> Drive.State {
    let drive = drive
    return
      (try? await calls.run(at: "drive \(drive.path)", limit: .seconds(10)) { drive.currentState })
      ?? .busy
  }

  private func ownItems() async -> [CatalogueItem] {
    let streams = options.streams.map {
      CatalogueItem(id: Self.streamPrefix + $0.name, title: $0.name, format: "stream")
    }
    guard await driveState() == .disc else { return streams }
    let title = isCD ? "Audio CD in the drive" : "DVD in the drive"
    return streams + [CatalogueItem(id: Self.disc, title: title, format: isCD ? "cd" : "dvd")]
  }

  private func scan(
    _ path: String, with prober: inout MediaProber, skipped: (MediaFailure) -> Void
  ) async throws(MediaFailure) -> [CatalogueItem] {
    let folder = try await addInTime(path)
    let kind = kind
    let walk = try await calls.runLong(at: folder.root) {
      _ = access(folder.root, R_OK)
    } _: {
      FolderWalk(folder, kind: kind)
    }
    for failure in walk.skipped.failures { skipped(failure) }
    var items: [CatalogueItem] = []
    let files = walk.files.map { (key: NaturalOrder.PathKey($0.path), file: $0) }
      .sorted { $0.key < $1.key }.map(\.file)
    let parts = isCD ? [:] : FilmPart.groups(of: files.map(\.path))
    let further = Set(parts.values.joined())
    let stamps = Dictionary(files.map { ($0.path, $0.stamp) }, uniquingKeysWith: { $1 })
    for file in files where !further.contains(file.path) {
      let all = [file.path] + (parts[file.path] ?? [])
      let stamp = all.compactMap { stamps[$0] }.joined(separator: " ")
      do throws(MediaFailure) {
        items.append(
          try await item(
            FoundFile(path: file.path, stamp: stamp), parts: all, in: folder, with: &prober))
      } catch {
        // No other file can be read either: mpv cannot be started, the scan was cancelled, or the disk is gone.
        if [.unavailable, .cancelled, .unreachable].contains(error.kind) { throw error }
        skipped(error)
      }
    }
    let listed = Set(items.map(\.id))
    state.withLock { state in
      state.known = state.known.filter {
        listed.contains($0.key) || folder.path(of: $0.key) == nil
      }
    }
    return items
  }

  private func item(
    _ file: FoundFile, parts: [String], in folder: MediaFolder, with prober: inout MediaProber
  ) async throws(MediaFailure) -> CatalogueItem {
    let path = FilmFiles.discFolder(ofIndex: file.path) ?? file.path
    let known = state.withLock { $0.known[folder.item(of: path)] }
    if let known, known.stamp == file.stamp { return known.item }
    let kind = kind
    let medium = try await calls.run(at: folder.root) { () throws(MediaFailure) in
      try ListedMedium.find(
        path, parts: parts, in: folder, kind: kind, isKnown: true)
    }
    let facts: MediaFacts
    do throws(MediaFailure) {
      facts = try await prober.facts(of: medium)
    } catch {
      // A dead disk or share hangs mpv too. Then the other files of the folder need not be tried.
      if error.kind == .corrupt, let path = medium.path {
        try await calls.run(at: folder.root) { _ = (try? MediaFile(path))?.bytes(at: 0, count: 1) }
      }
      throw error
    }
    let item = CatalogueItem(medium, path: path, facts, isSong: isCD)
    state.withLock { $0.known[item.id] = (file.stamp, item) }
    return item
  }

  // MARK: Items

  /// Returns the duration of an item in seconds; nil if no scan has found it.
  func duration(of item: String) -> Double? {
    state.withLock { $0.known[item]?.item.duration }
  }

  /// Returns the medium of an item.
  ///
  /// - Parameter deadline: The end of the wait for a disc that spins up; nil waits at most ``Drive/longestSpinUp``.
  /// - Throws: `missing` if there is none, `outside` if its path leads out of the media folders, `unreachable` if this
  ///   user may not open the drive.
  func resolve(
    _ item: String, until deadline: Duration? = nil
  ) async throws(MediaFailure) -> Medium {
    if item == Self.disc {
      return try await discInDrive(until: deadline ?? (clock.now() + Drive.longestSpinUp))
    }
    if item.hasPrefix(Self.streamPrefix) {
      let name = item.dropFirst(Self.streamPrefix.count)
      // Names are compared by their bytes: only the listed spelling is an id.
      if let stream = options.streams.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        return try await streams.medium(item, at: stream.url)
      }
    }
    var medium = try await locate(item).medium
    if isCD { medium.isLast = await neighbour(of: item, steps: 1) == nil }
    return medium
  }

  /// Returns the media folder, path and medium of an item.
  ///
  /// - Throws: The errors of `resolve`; `missing` for streams and the disc.
  func locate(_ item: String) async throws(MediaFailure) -> LocatedMedium {
    if !state.withLock({ state in state.folders.contains { $0.path(of: item) != nil } }) {
      _ = await addMissingFolders()
    }
    var failure = MediaFailure(
      .missing, subject: item, detail: "it is in none of the media folders",
      hint: "See the list of titles, or scan the library again.")
    let kind = kind
    for folder in state.withLock(\.folders) {
      guard let path = folder.path(of: item) else { continue }
      do throws(MediaFailure) {
        let medium = try await calls.run(at: folder.root) { () throws(MediaFailure) in
          try ListedMedium.find(path, in: folder, kind: kind)
        }
        return LocatedMedium(folder: folder, path: path, medium: medium)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private func discInDrive(until deadline: Duration) async throws(MediaFailure) -> Medium {
    let (detail, hint): (String, String)
    switch await drive.settledState(until: deadline, on: clock) {
    case .disc:
      return Medium(item: Self.disc, source: isCD ? .audioCD(drive.path) : .dvd(drive.path))
    case .noDisc:
      (detail, hint) = (
        "there is no disc in the drive", "Insert a disc, or set the option \"drive\"."
      )
    case .forbidden:
      throw MediaFailure(
        .unreachable, subject: drive.path, detail: "this user may not open the drive",
        hint: Drive.permissionHint)
    case .openTray: (detail, hint) = ("the tray is open", "Push it in.")
    case .busy: (detail, hint) = ("the disc is not readable", "Clean it, or insert another one.")
    }
    throw MediaFailure(.missing, subject: drive.path, detail: detail, hint: hint)
  }

  /// Returns the item for a `play` that names none: the disc, else the first file of the media folders, else the first
  /// stream. Without any of them, the disc of a drive that this user may not open, so that the error says so.
  func defaultItem() async -> String? {
    let driveState = await driveState()
    if [.disc, .busy].contains(driveState) { return Self.disc }
    let (folders, kind) = (state.withLock(\.folders), kind)
    var file: String?
    for folder in folders where file == nil {
      let found = try? await calls.runLong(at: folder.root) {
        _ = access(folder.root, R_OK)
      } _: {
        FolderWalk.first(in: folder, kind: kind)?.path
      }
      file = found.flatMap(\.self).map { folder.item(of: FilmFiles.discFolder(ofIndex: $0) ?? $0) }
    }
    let item = file ?? options.streams.first.map { Self.streamPrefix + $0.name }
    return item ?? (driveState == .forbidden ? Self.disc : nil)
  }

  /// Returns the item `steps` places after this one among the files of the same folder, in natural order. A negative
  /// number counts backwards. Nil beyond either end.
  func neighbour(of item: String, steps: Int) async -> String? {
    let (folders, kind) = (state.withLock(\.folders), kind)
    guard let folder = folders.first(where: { $0.path(of: item) != nil }),
      let path = folder.path(of: item)
    else { return nil }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    let found = try? await calls.runInTime(at: folder.root) {
      _ = access(folder.root, R_OK)
    } _: {
      FolderWalk(folder, kind: kind, from: parent, recursive: false).files.map(\.path)
    }
    let paths = (found.flatMap(\.self) ?? []).sorted(by: NaturalOrder.precedes(path:_:))
    guard let index = paths.firstIndex(of: path), paths.indices.contains(index + steps) else {
      return nil
    }
    return folder.item(of: paths[index + steps])
  }

  // MARK: The end of a medium

  /// Remembers the size of a medium's file, to see later whether it was cut off while it played.
  ///
  /// - Throws: `unreachable` if its disk or share does not answer.
  func prepareInspection(of medium: Medium) async throws(MediaFailure) {
    state.withLock { $0.opened = [] }
    try await prepareInspection(ofNext: medium)
  }

  /// Remembers the size of the file of a medium that follows the present one, and keeps that of the present one.
  ///
  /// - Throws: `unreachable` if its disk or share does not answer.
  func prepareInspection(ofNext medium: Medium) async throws(MediaFailure) {
    guard let path = medium.path, !medium.isAudioCD else { return }
    let size = try await calls.run(at: place(of: path)) { (try? MediaFile(path))?.size }
    if let size { state.withLock { $0.opened = $0.opened.suffix(1) + [(path, size)] } }
  }

  /// Examines the file of a medium that has ended. Streams and drives are not examined.
  func inspect(_ medium: Medium, _ end: FilmEnd) async -> FilmEnd.Inspection {
    // The facts of a film in several files are those of all of them.
    guard let path = medium.path, !medium.isAudioCD, medium.parts.isEmpty else {
      return FilmEnd.Inspection()
    }
    let size = state.withLock { $0.opened.last { $0.path == path }?.size }
    do throws(MediaFailure) {
      let inspection = try await calls.runInTime(at: place(of: path)) {
        _ = (try? MediaFile(path))?.bytes(at: 0, count: 1)
      } _: {
        FilmEnd.Inspection(of: path, size: size, end)
      }
      return inspection ?? FilmEnd.Inspection(isUnfinished: true)
    } catch {
      return FilmEnd.Inspection(error: error.detail, isSilent: true)
    }
  }

  /// The media folder of a path; for other paths the path itself.
  private func place(of path: String) -> String {
    state.withLock(\.folders).first { $0.contains(path) }?.root ?? path
  }
}

extension CatalogueItem {
  /// - Parameters:
  ///   - path: The path below the media folder.
  ///   - isSong: Whether the medium is a song, whose tags are those of its album.
  fileprivate init(_ medium: Medium, path: String, _ facts: MediaFacts, isSong: Bool) {
    let sound = facts.selected("audio") ?? facts.tracks.first { $0.kind == "audio" }
    let picture = facts.tracks.first { $0.kind == "video" && !$0.isCover }
    // For a disc, mpv reports the volume label, which is seldom the title.
    let tag = medium.isDisc ? nil : facts.title
    let title =
      isSong
      ? tag ?? SongTitle.title(ofPath: path, track: facts.track)
      : FilmTitle.displayed(
        path: medium.parts.isEmpty ? path : FilmPart.wholeName(of: path), tag: tag)
    self.init(
      id: medium.item, title: title, artist: facts.artist,
      album: facts.album, track: facts.track, duration: facts.duration,
      format: picture?.codec ?? sound?.codec, channels: sound?.channels,
      hasPicture: facts.tracks.contains { $0.kind == "video" })
  }
}
