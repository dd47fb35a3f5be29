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
  /// A file could not be opened, and was skipped.
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
/// Methods return at once and may be called from any thread.
final class PlaybackEngine: Sendable {
  /// The player's end of the cable.
  let source: CableSource
  /// The events, for one reader.
  let events: AsyncStream<PlaybackEvent>
  private let supply = SoundSupply()
  private let timeline = SharedTimeline()
  private let worker = Mutex(Worker())
  private let continuation: AsyncStream<PlaybackEvent>.Continuation
  private let listDisc: @Sendable (PlayableSong) -> [PlayableSong]

  /// The thread that works now.
  private struct Worker {
    var mailbox = Mailbox<PlaybackJob>()
    var lease = ThreadLease()
    /// The number of earlier threads that have not ended.
    var left = 0
  }

  /// The time that the thread may take to begin an opening. A read from a share that has stopped answering keeps it
  /// longer; another thread then takes its place.
  private static let patience = Duration.seconds(1)
  /// The most threads that wait for such a share.
  private static let mostLeft = 4

  /// Starts the thread. At the end of a song that is not in the order of ``setOrder(_:)``, the thread calls `listDisc`,
  /// which returns all songs of the disc of that song. The call may wait for the disk.
  init(
    clock: any CableClock = MonotonicClock(),
    listDisc: @escaping @Sendable (PlayableSong) -> [PlayableSong]
  ) throws(CableError) {
    source = try CableSource(clock: clock)
    (events, continuation) = AsyncStream<PlaybackEvent>.makeStream()
    self.listDisc = listDisc
    worker.withLock { startThread($0) }
  }

  private func startThread(_ worker: Worker) {
    let (source, supply, timeline) = (source, supply, timeline)
    let (continuation, listDisc) = (continuation, listDisc)
    let (mailbox, lease) = (worker.mailbox, worker.lease)
    SystemThread.start(name: "playback") { [weak self] in
      PlaybackThread(
        source: source, supply: supply, mailbox: mailbox, timeline: timeline, lease: lease,
        events: continuation, listDisc: listDisc
      ).run()
      if lease.isOver { self?.worker.withLock { $0.left -= 1 } }
    }
  }

  /// Lets another thread do the jobs of one that has not begun them in time.
  private func replaceThread(of mailbox: Mailbox<PlaybackJob>) {
    worker.withLock { worker in
      guard worker.mailbox === mailbox else { return }
      let jobs = mailbox.removeAll()
      guard !jobs.isEmpty else { return }
      guard worker.left < Self.mostLeft else {
        for case .play(let song, _, _, _, let result) in jobs {
          let detail = "earlier songs still wait for a disk or share that does not answer"
          result.fulfil(.failure(MediaFailure(.unreachable, subject: song.item, detail: detail)))
        }
        return
      }
      worker.lease.end()
      mailbox.post(.quit)
      worker = Worker(left: worker.left + 1)
      for job in jobs { worker.mailbox.post(job) }
      startThread(worker)
    }
  }

  private func post(_ job: PlaybackJob) -> Mailbox<PlaybackJob> {
    worker.withLock { worker in
      worker.mailbox.post(job)
      return worker.mailbox
    }
  }

  deinit { close() }

  /// Loads libav in the background.
  func warmUp() { _ = post(.warmUp) }

  /// The opening of a song by the engine's thread.
  struct Opening: Sendable {
    fileprivate let song: PlayableSong
    fileprivate let interrupt = LibavInterrupt()
    fileprivate let result = Promise<Place>()

    /// Gives the opening up, also while the disk hangs.
    func cancel() {
      interrupt.cancel()
      result.fulfil(
        .failure(MediaFailure(.cancelled, subject: song.item, detail: "it was given up")))
    }

    /// Waits for the place at which the song begins, once the file is open and its sound is on the cable. Call
    /// it once.
    func value() async -> Result<Place, MediaFailure> { await result.value() }
  }

  /// Drops the current sound and opens `song` at a position in seconds. A paused cable stays paused.
  func open(_ song: PlayableSong, seconds: Double) -> Opening {
    let opening = Opening(song: song)
    // First the flush: it frees the thread, which may wait for room in the cable.
    let section = source.flush().section
    timeline.value.withLock { $0.lastSection = nil }
    let mailbox = post(
      .play(song, seconds: seconds, section: section, opening.interrupt, opening.result))
    Task { [weak self] in
      try? await Task.sleep(for: Self.patience)
      self?.replaceThread(of: mailbox)
    }
    return opening
  }

  /// Holds the sound. Returns the place at which it stopped; nil if it is not known.
  func pause() -> Place? {
    let position = source.pause()
    return timeline.value.withLock { $0.place(at: position) }
  }

  /// Drops the sound and closes the file.
  func stop() {
    _ = source.flush()
    _ = post(.stop)
  }

  /// Ends the thread and the cable.
  func close() {
    _ = post(.quit)
    source.close()
    continuation.finish()
  }

  /// The present sound.
  var sound: SoundState {
    let position = source.position
    return timeline.value.withLock { timeline in
      let place = timeline.place(at: position)
      // Behind the last section there is no sound to wait for; a section without a song is the silence
      // after dropped sound.
      let remaining =
        timeline.lastSection == position.section
        ? .seconds(1) : place == nil ? .zero : supply.remaining(at: position)
      return SoundState(
        place: place, newest: timeline.newest, lastSection: timeline.lastSection,
        remaining: remaining, order: timeline.order, earlyEnds: timeline.earlyEnds)
    }
  }

  /// Sets the songs of the disc, in their order.
  func setOrder(_ songs: [PlayableSong]) { timeline.value.withLock { $0.order = songs } }
}
