import MediaFolders
import MediaNetwork
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// An event of a ``PlaybackEngine``.
enum PlaybackEvent: Sendable {
  /// The next song of the disc follows on the cable.
  case nextSong(PlayableSong)
  /// A file could not be played, or not to its end, and was skipped.
  case skipped(MediaFailure)
}

/// A job for a ``PlaybackThread``.
enum PlaybackJob: Sendable {
  /// Loads libav, so that the first song starts at once.
  case warmUp
  /// Plays a song from a position in seconds, into the section that a flush has begun.
  case play(PlayableSong, seconds: Double, section: UInt32, LibavInterrupt, Promise<Place>)
  /// Closes the file.
  case stop
  /// Ends the thread.
  case quit
}

/// Decodes song after song into a cable, on a separate thread.
///
/// The thread waits for room in the cable, so it is only a little ahead of the heard position.
/// Methods return at once and may be called from any thread; ``play(_:seconds:)`` waits for its
/// result.
final class PlaybackEngine: Sendable {
  /// The player's end of the cable.
  let source: CableSource
  /// The events, for one reader.
  let events: AsyncStream<PlaybackEvent>
  private let supply = SoundSupply()
  private let mailbox = Mailbox<PlaybackJob>()
  private let timeline = SharedTimeline()

  /// Starts the thread. At the end of a song that is not in the order of ``setOrder(_:)``, the thread calls `listDisc`,
  /// which returns all songs of the disc of that song. The call may wait for the disk.
  init(
    clock: any CableClock = MonotonicClock(),
    listDisc: @escaping @Sendable (PlayableSong) -> [PlayableSong]
  ) throws(CableError) {
    source = try CableSource(clock: clock)
    let (events, continuation) = AsyncStream<PlaybackEvent>.makeStream()
    self.events = events
    let (source, supply, mailbox, timeline) = (source, supply, mailbox, timeline)
    SystemThread.start(name: "playback") {
      PlaybackThread(
        source: source, supply: supply, mailbox: mailbox, timeline: timeline,
        events: continuation, listDisc: listDisc
      ).run()
    }
  }

  deinit { close() }

  /// Loads libav in the background.
  func warmUp() { mailbox.post(.warmUp) }

  /// Drops the current sound and plays `song` from a place on. A paused cable stays paused.
  ///
  /// - Returns: The place at which it begins, once the file is open and its sound is on the cable.
  func play(_ song: PlayableSong, seconds: Double) async -> Result<Place, MediaFailure> {
    let interrupt = LibavInterrupt()
    let result = Promise<Place>()
    // In a cancelled task, the handler below would cancel only after the job is posted: on a fast disk the song would
    // begin to play.
    if Task.isCancelled { interrupt.cancel() }
    // First the flush: it frees the thread, which may wait for room in the cable.
    let section = source.flush().section
    timeline.value.withLock { $0.lastSection = nil }
    mailbox.post(.play(song, seconds: seconds, section: section, interrupt, result))
    return await result.value(of: song.item) { interrupt.cancel() }
  }

  /// Drops the sound and closes the file.
  func stop() {
    _ = source.flush()
    mailbox.post(.stop)
  }

  /// Ends the thread and the cable.
  func close() {
    mailbox.post(.quit)
    source.close()
  }

  /// The heard place; nil before the first song and just after a jump.
  var place: Place? {
    let position = source.position
    return timeline.value.withLock { $0.place(at: position) }
  }

  /// Returns the place in a song at a position of the cable.
  func place(at position: CablePosition) -> Place? {
    timeline.value.withLock { $0.place(at: position) }
  }

  /// How long the sound written so far lasts: zero if all of it was heard and more songs follow; 1 s in the last
  /// section of the disc, after which no sound is missing.
  var remainingSound: Duration {
    let position = source.position
    // Behind the last section there is no sound to wait for.
    guard lastSection != position.section else { return .seconds(1) }
    // A section without a song is the silence after dropped sound.
    return place(at: position) == nil ? .zero : supply.remaining(at: position)
  }

  /// The section that ends the disc; nil until it was written.
  var lastSection: UInt32? { timeline.value.withLock { $0.lastSection } }

  /// The song that was written to the cable last.
  var newest: PlayableSong? { timeline.value.withLock { $0.newest } }

  /// The songs of the disc.
  var order: [PlayableSong] { timeline.value.withLock { $0.order } }

  /// Sets the songs of the disc, in their order.
  func setOrder(_ songs: [PlayableSong]) { timeline.value.withLock { $0.order = songs } }

  /// Returns the song `steps` after this one on its disc; nil beyond either end.
  func neighbour(of song: PlayableSong, steps: Int) -> PlayableSong? {
    timeline.value.withLock { $0.neighbour(of: song, steps: steps) }
  }
}
