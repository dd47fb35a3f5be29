import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// What a deck tells beside its answers.
enum PlaybackEvent: Sendable {
  /// The next song of the disc follows on the cable.
  case joined(PlayableSong)
  /// A file could not be played (any further) and was left out.
  case skipped(MediaFailure)
}

/// What the deck's thread is asked to do.
enum PlaybackJob: Sendable {
  /// Loads libav, so that the first song starts at once.
  case warmUp
  /// Plays a song from a second on, into the section that a flush has begun.
  case play(PlayableSong, seconds: Double, section: UInt32, LibavInterrupt, Answer<Place>)
  /// Closes the file.
  case stop
  /// Ends the thread.
  case quit
}

/// A player's mechanism: a thread that decodes song after song into a cable.
///
/// The cable holds the thread back, so it is always a little ahead of the ear. All methods return
/// at once and may be called from anywhere.
final class PlaybackEngine: Sendable {
  /// The player's end of the cable.
  let source: CableSource
  /// For one reader.
  let events: AsyncStream<PlaybackEvent>
  private let supply = SoundSupply()
  private let mailbox = Mailbox<PlaybackJob>()
  private let reel = SharedReel()

  /// Starts the thread. `listDisc` finds the songs around one that ends before ``setOrder(_:)`` told
  /// what follows; it may wait for the disk.
  init(
    clock: any CableClock = MonotonicClock(),
    listDisc: @escaping @Sendable (PlayableSong) -> [PlayableSong]
  ) throws(CableError) {
    source = try CableSource(clock: clock)
    let (events, continuation) = AsyncStream<PlaybackEvent>.makeStream()
    self.events = events
    let (source, supply, mailbox, reel) = (source, supply, mailbox, reel)
    SystemThread.start(name: "deck") {
      PlaybackThread(
        source: source, supply: supply, mailbox: mailbox, reel: reel, events: continuation,
        listDisc: listDisc
      ).run()
    }
  }

  deinit { close() }

  /// Loads libav in the background.
  func warmUp() { mailbox.post(.warmUp) }

  /// Silences what plays and plays `song` from a place on. Stays paused when paused.
  /// - Returns: where it begins, once the file is open and its sound on the way.
  func play(_ song: PlayableSong, seconds: Double) async -> Result<Place, MediaFailure> {
    let interrupt = LibavInterrupt()
    let answer = Answer<Place>()
    // First the flush: it frees the thread, which may wait for room in the cable.
    let section = source.flush().section
    reel.value.withLock { $0.lastSection = nil }
    mailbox.post(.play(song, seconds: seconds, section: section, interrupt, answer))
    return await answer.value(of: song.item) { interrupt.cancel() }
  }

  /// Silence, and the file is closed.
  func stop() {
    _ = source.flush()
    mailbox.post(.stop)
  }

  /// Ends the thread and the cable.
  func close() {
    mailbox.post(.quit)
    source.close()
  }

  /// What is heard now; nil before the first song and just after a jump.
  var place: Place? {
    let position = source.position
    return reel.value.withLock { $0.place(at: position) }
  }

  /// What a position of the cable is.
  func place(at position: CablePosition) -> Place? {
    reel.value.withLock { $0.place(at: position) }
  }

  /// Whether all sound that was written was heard, though the disc goes on.
  var isOutOfSound: Bool {
    let position = source.position
    guard lastSection != position.section else { return false }
    // A section without a song is the silence that follows dropped sound.
    return place(at: position) == nil || supply.isUsedUp(at: position)
  }

  /// The section whose end is the end of the disc, once it was written.
  var lastSection: UInt32? { reel.value.withLock { $0.lastSection } }

  /// The song that was written to the cable last.
  var newest: PlayableSong? { reel.value.withLock { $0.newest } }

  /// The songs of the disc.
  var order: [PlayableSong] { reel.value.withLock { $0.order } }

  /// Tells which song follows which.
  func setOrder(_ songs: [PlayableSong]) { reel.value.withLock { $0.order = songs } }

  /// The song `steps` after this one on its disc; nil beyond either end.
  func neighbour(of song: PlayableSong, steps: Int) -> PlayableSong? {
    reel.value.withLock { $0.neighbour(of: song, steps: steps) }
  }
}

/// The reel that a deck and its thread share.
final class SharedReel: Sendable {
  let value = Mutex(PlaybackTimeline())
}
