import MediaFolders
import PluginKit
import Synchronization

/// A song that can be opened.
struct PlayableSong: Equatable, Sendable {
  /// Its name in commands, `FOLDER/PATH`.
  let item: String
  /// The absolute path of the file.
  let path: String

  /// Compares the bytes, because names that are equal in Unicode may belong to two files.
  static func == (left: PlayableSong, right: PlayableSong) -> Bool {
    left.item.utf8.elementsEqual(right.item.utf8) && left.path.utf8.elementsEqual(right.path.utf8)
  }
}

/// A place in a song.
struct Place: Equatable, Sendable {
  let song: PlayableSong
  /// Seconds from the song's beginning.
  var seconds: Double
  /// The song's length in seconds; nil if unknown.
  let duration: Double?
}

/// The songs on the cable, section by section, and the songs that follow.
struct PlaybackTimeline: Sendable {
  /// A section of the cable: one song from one frame on, in one format.
  struct Segment: Sendable {
    let section: UInt32
    let song: PlayableSong
    /// The frame of the song with which the section begins.
    let start: Int64
    /// Frames a second.
    let rate: Int
    /// The song's length in seconds; nil if unknown.
    let duration: Double?
  }

  /// The songs of the disc, in their order.
  var order: [PlayableSong] = []
  /// The section that ends the disc; nil until the last song was written.
  var lastSection: UInt32?
  /// The songs whose files ended too early, the newest last.
  private(set) var earlyEnds: [EarlyEnd] = []
  private var segments: [Segment] = []

  /// The song of the newest section.
  var newest: PlayableSong? { segments.last?.song }

  /// Adds a new section.
  mutating func append(_ segment: Segment) {
    segments.append(segment)
    lastSection = nil
    earlyEnds.removeAll { $0.song == segment.song }
    // The cable is seconds ahead of the heard position, not hundreds of sections.
    if segments.count > 64 { segments.removeFirst(segments.count - 64) }
  }

  /// Records that the newest song has ended too early.
  mutating func append(_ end: EarlyEnd) {
    earlyEnds.append(end)
    if earlyEnds.count > 64 { earlyEnds.removeFirst() }
  }

  /// Returns the place in a song at a position of the cable; nil for a section without a song.
  func place(at position: CablePosition) -> Place? {
    guard let segment = segments.last(where: { $0.section == position.section }) else { return nil }
    let seconds = Double(segment.start + Int64(position.frames)) / Double(segment.rate)
    let duration = segment.duration
    return Place(
      song: segment.song, seconds: duration.map { min($0, seconds) } ?? seconds,
      duration: duration)
  }
}

/// The timeline that a ``PlaybackEngine`` and its thread share.
final class SharedTimeline: Sendable {
  let value = Mutex(PlaybackTimeline())
}
