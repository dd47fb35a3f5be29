import Devices
import Glibc
import MediaFolders
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
    /// The items of the last scan of each folder, by id. An item is valid until the stamp of its file changes.
    var known: [String: (stamp: String, item: CatalogueItem)] = [:]
  }

  /// The drive of the options.
  let drive: Drive
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

  /// Makes the files below `path` playable.
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
      return folder
    }
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

  private func ownItems() async -> [CatalogueItem] {
    let streams = options.streams.map {
      CatalogueItem(id: Self.streamPrefix + $0.name, title: $0.name, format: "stream")
    }
    guard await drive.state() == .disc else { return streams }
    let title = isCD ? "Audio CD in the drive" : "DVD in the drive"
    return streams + [CatalogueItem(id: Self.disc, title: title, format: isCD ? "cd" : "dvd")]
  }

  private func scan(
    _ path: String, with prober: inout MediaProber, skipped: (MediaFailure) -> Void
  ) async throws(MediaFailure) -> [CatalogueItem] {
    let folder = try add(path)
    let kind = kind
    let walk = await SystemThread.run(name: "media") { FolderWalk(folder, kind: kind) }
    for failure in walk.skipped.failures { skipped(failure) }
    var items: [CatalogueItem] = []
    let files = walk.files.sorted { NaturalOrder.precedes($0.path, $1.path) }
    for file in files {
      do throws(MediaFailure) {
        items.append(try await item(file, in: folder, with: &prober))
      } catch {
        // No other file can be read either: mpv cannot be started, or the scan was cancelled.
        if [.unavailable, .cancelled].contains(error.kind) { throw error }
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
    _ file: FoundFile, in folder: MediaFolder, with prober: inout MediaProber
  ) async throws(MediaFailure) -> CatalogueItem {
    let path = MediaFiles.dvdFolder(ofIndex: file.path) ?? file.path
    let known = state.withLock { $0.known[folder.item(of: path)] }
    if let known, known.stamp == file.stamp { return known.item }
    let medium = try Self.medium(path, in: folder)
    let facts = try await prober.facts(of: medium)
    let item = CatalogueItem(medium, path: path, facts)
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
      if let stream = options.streams.first(where: { $0.name == name }) {
        return try await streams.medium(item, at: stream.url)
      }
    }
    return try await locate(item).medium
  }

  /// Returns the media folder, path and medium of an item.
  ///
  /// - Throws: The errors of `resolve`; `missing` for streams and the disc.
  func locate(_ item: String) async throws(MediaFailure) -> LocatedMedium {
    let folders = state.withLock(\.folders)
    return try await SystemThread.run(name: "media") { () throws(MediaFailure) in
      var failure = MediaFailure(
        .missing, subject: item, detail: "it is in none of the media folders",
        hint: "See the list of titles, or scan the library again.")
      for folder in folders {
        guard let path = folder.path(of: item) else { continue }
        do throws(MediaFailure) {
          return LocatedMedium(
            folder: folder, path: path, medium: try Self.medium(path, in: folder))
        } catch {
          failure = error
        }
      }
      throw failure
    }
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
    let driveState = await drive.state()
    if [.disc, .busy].contains(driveState) { return Self.disc }
    let (folders, kind) = (state.withLock(\.folders), kind)
    let file: String? = await SystemThread.run(name: "media") {
      for folder in folders {
        if let path = FolderWalk.first(in: folder, kind: kind)?.path {
          return folder.item(of: MediaFiles.dvdFolder(ofIndex: path) ?? path)
        }
      }
      return nil
    }
    let item = file ?? options.streams.first.map { Self.streamPrefix + $0.name }
    return item ?? (driveState == .forbidden ? Self.disc : nil)
  }

  /// Returns the item `steps` places after this one among the files of the same folder, in natural order. A negative
  /// number counts backwards. Nil beyond either end.
  func neighbour(of item: String, steps: Int) async -> String? {
    let (folders, kind) = (state.withLock(\.folders), kind)
    return await SystemThread.run(name: "media") {
      guard let folder = folders.first(where: { $0.path(of: item) != nil }),
        let path = folder.path(of: item)
      else { return nil }
      let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
      let paths = FolderWalk(folder, kind: kind, from: parent, recursive: false).files
        .map(\.path).sorted(by: NaturalOrder.precedes)
      guard let index = paths.firstIndex(of: path), paths.indices.contains(index + steps) else {
        return nil
      }
      return folder.item(of: paths[index + steps])
    }
  }

  private static func medium(
    _ path: String, in folder: MediaFolder
  ) throws(MediaFailure) -> Medium {
    let absolutePath = try folder.resolve(path)
    let item = folder.item(of: path)
    if MediaFiles.isDVD(absolutePath) { return Medium(item: item, source: .dvd(absolutePath)) }
    let file = try folder.resolveFile(path)
    return Medium(item: item, source: MediaFiles.isImage(file) ? .dvd(file) : .address(file))
  }
}

extension CatalogueItem {
  fileprivate init(_ medium: Medium, path: String, _ facts: MediaFacts) {
    let sound = facts.selected("audio") ?? facts.tracks.first { $0.kind == "audio" }
    let picture = facts.tracks.first { $0.kind == "video" && !$0.isCover }
    // For a DVD, mpv reports the volume label, which is seldom the title: use the name of the file.
    let title = if case .address = medium.source { facts.title } else { String?.none }
    self.init(
      id: medium.item, title: title ?? MediaFiles.title(of: path), artist: facts.artist,
      album: facts.album, track: facts.track, duration: facts.duration,
      format: picture?.codec ?? sound?.codec, channels: sound?.channels,
      hasPicture: facts.tracks.contains { $0.kind == "video" })
  }
}
