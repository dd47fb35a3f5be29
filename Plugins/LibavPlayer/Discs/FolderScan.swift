import JSON
import MediaFolders
import MediaNames
import Platform

/// The new and changed songs of a media folder.
///
/// Cost: one `lstat` per file, and one decoded frame per file that is not known yet. The first scan of
/// 1,000 files takes about 1 s, the next one 0.05 s (two busy cores, files in memory). An MP3
/// file without a Xing tag and a bare AAC file are read as a whole, up to ``ScanLimits/counted``.
struct FolderScan: Equatable, Sendable {
  /// New and changed songs, in no order (see ``Song/precedes(_:_:)``).
  private(set) var songs: [Song] = []
  /// Every music file that exists and was read, now or before; known files that are missing here are gone.
  private(set) var present: [FoundFile] = []
  /// The skipped files and folders, with the reasons.
  private(set) var skipped = SkippedFiles()
  /// The messages of ``skipped`` about files that were read: a further process does not repeat them.
  private(set) var skippedAfterReading = SkippedFiles()
  /// The file that is being read; nil between two files.
  private(set) var current: FoundFile?

  /// The stamps of ``present`` by path: the `known` files of the next scan.
  var stamps: [String: String] {
    Dictionary(present.map { ($0.path, $0.stamp) }, uniquingKeysWith: { $1 })
  }

  /// Creates an empty scan; ``apply(_:)`` adds the events of a scan that runs elsewhere.
  init() {}

  /// Scans `folder`. Files that `known` has with the same stamp are not opened; damaged ones are
  /// skipped with a message.
  init(
    _ folder: MediaFolder, known: [String: String] = [:], limits: ScanLimits = ScanLimits()
  ) throws(MediaFailure) {
    try self.init(folder, walk: FolderWalk(folder), known: known, limits: limits)
  }

  /// Scans the files that a walk has found.
  init(
    _ folder: MediaFolder, walk: FolderWalk, known: [String: String],
    limits: ScanLimits = ScanLimits()
  ) throws(MediaFailure) {
    var scan = FolderScan()
    try FolderScan.run(folder, walk: walk, known: known, limits: limits) { scan.apply($0) }
    self = scan
  }

  /// Scans the files that a walk has found, and reports each event when it happens.
  static func run(
    _ folder: MediaFolder, walk: FolderWalk, known: [String: String], limits: ScanLimits,
    report: (ScanEvent) -> Void
  ) throws(MediaFailure) {
    let end = MonotonicClock.now &+ Int64(clamping: limits.nanoseconds)
    var countable = limits.counted
    var bytes = 0
    report(.walked(walk.files.filter { known[$0.path] == $0.stamp }, walk.skipped))
    let new = walk.files.filter { known[$0.path] != $0.stamp }
    let numbering = SongTitle.Numbering(of: walk.files.map(\.path))
    for (index, file) in new.enumerated() {
      guard MonotonicClock.now < end, bytes < limits.bytes else {
        let detail =
          "\(new.count - index) of its files were not read: the scan's time or room was used up"
        let failure = MediaFailure(
          .unreachable, subject: folder.root, detail: detail,
          hint: "Scan the library again to go on.")
        return report(.skipped(failure, wasRead: false))
      }
      if !Libav.isLoaded { try Libav.load() }
      report(.opening(file))
      do {
        let song = try Song(file, in: folder, numbering: numbering, countable: &countable)
        bytes += song.size
        report(.song(song))
      } catch {
        // A disk that was slow or busy may give the file at the next scan.
        report(.skipped(error, wasRead: [.corrupt, .unsupported].contains(error.kind)))
      }
    }
  }

  /// Adds an event. A walk begins the scan again: its known files and its messages replace those of
  /// the walk before.
  mutating func apply(_ event: ScanEvent) {
    switch event {
    case .walked(let known, let skipped):
      present = known
      self.skipped = skippedAfterReading
      self.skipped.append(skipped)
    case .opening(let file): current = file
    case .song(let song):
      songs.append(song)
      finishCurrent()
    case .skipped(let failure, let wasRead):
      skipped.append(failure)
      if wasRead {
        skippedAfterReading.append(failure)
        finishCurrent()
      } else {
        current = nil
      }
    }
  }

  private mutating func finishCurrent() {
    if let current { present.append(current) }
    current = nil
  }
}

/// The limits of a scan.
struct ScanLimits: Sendable {
  /// Time in ns after which no further file is opened. The controller waits 300 s for a scan.
  var nanoseconds: UInt64 = 240_000_000_000
  /// The most bytes of songs, by their size as JSON (see ``Song/size``).
  var bytes = 32 << 20
  /// The most bytes read to learn the lengths of files that do not state them.
  var counted: Int64 = 1 << 30
  /// The longest time for one file, in ms.
  var millisecondsPerFile: UInt64 = 20_000
}

extension FolderWalk {
  /// Walks `folder`, or its subfolder `start`, for music. A file is opened only if its name does not
  /// tell its kind; its first bytes then decide.
  init(
    _ folder: MediaFolder, from start: String = "", recursive: Bool = true,
    mostFiles: Int = Self.mostFiles
  ) {
    self.init(
      folder, kind: Self.music, from: start, recursive: recursive, mostFiles: mostFiles)
  }

  /// The files that are music.
  static let music = MediaKind(
    matchesName: { Container(path: $0) != nil },
    matchesContent: { Container.isPossible(path: $0) && FileContent.isMusic($0) },
    exclusion: UnplayedFiles.reason(for:))
}
