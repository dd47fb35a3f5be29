import MediaFolders
import MediaNetwork
import PluginKit
import Synchronization

/// The thread of a ``PlaybackEngine``: does jobs, and between them decodes into the cable.
///
/// Belongs to that thread alone.
final class PlaybackThread {
  /// Bytes decoded at a time: 93 ms of CD sound, one block of most FLAC files.
  private static let chunk = 16_384

  private let source: CableSource
  private let supply: SoundSupply
  private let mailbox: Mailbox<PlaybackJob>
  private let timeline: SharedTimeline
  private let lease: ThreadLease
  private let events: AsyncStream<PlaybackEvent>.Continuation
  private let listDisc: (PlayableSong) -> [PlayableSong]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
  /// The current song and its open file; nil while stopped.
  private var playing: (song: PlayableSong, file: AudioFile)?
  private var section: UInt32 = 0
  /// The format of ``section``; nil where a new section must begin.
  private var format: PCMFormat?
  /// Whether the thread decodes while there is no job.
  private var isDecoding = false

  init(
    source: CableSource, supply: SoundSupply, mailbox: Mailbox<PlaybackJob>,
    timeline: SharedTimeline, lease: ThreadLease,
    events: AsyncStream<PlaybackEvent>.Continuation,
    listDisc: @escaping (PlayableSong) -> [PlayableSong]
  ) {
    self.source = source
    self.supply = supply
    self.mailbox = mailbox
    self.timeline = timeline
    self.lease = lease
    self.events = events
    self.listDisc = listDisc
  }

  deinit { buffer.deallocate() }

  /// Works until `quit`.
  func run() {
    while true {
      guard let job = isDecoding ? mailbox.popFirst() : mailbox.wait() else {
        writeChunk()
        continue
      }
      switch job {
      case .warmUp: try? Libav.load()
      case .play(let song, let seconds, let section, let interrupt, let result):
        isDecoding = false
        self.section = section
        format = nil
        result.fulfil(start(song, seconds, interrupt))
      case .stop:
        isDecoding = false
        playing = nil
      case .quit: return
      }
    }
  }

  /// Opens `song`, or keeps it open, seeks to the place and begins a section.
  private func start(
    _ song: PlayableSong, _ seconds: Double, _ interrupt: LibavInterrupt
  ) -> Result<Place, MediaFailure> {
    do {
      let file = try openFile(of: song, interrupt)
      let frame = Int64(clamp(seconds, to: file) * Double(file.format.rate))
      if frame != file.position { try file.seek(to: frame) }
      // Cancelled while the disk was slow.
      guard !interrupt.isCancelled else {
        playing = nil
        return .failure(MediaFailure(.cancelled, subject: song.item, detail: "cancelled"))
      }
      playing = (song, file)
      isDecoding = true
      let place = Place(
        song: song, seconds: Double(file.position) / Double(file.format.rate),
        duration: file.duration)
      guard try file.next() == nil || begin(file.format) else {
        return .failure(MediaFailure(.cancelled, subject: song.item, detail: "cancelled"))
      }
      return .success(place)
    } catch {
      playing = nil
      return .failure(error)
    }
  }

  /// Opens the song's file, or returns the current one where it is that song's.
  private func openFile(
    of song: PlayableSong, _ interrupt: LibavInterrupt
  ) throws(MediaFailure) -> AudioFile {
    if let playing, playing.song == song, !playing.file.interrupt.isCancelled {
      return playing.file
    }
    playing = nil
    return try AudioFile(path: song.path, subject: song.item, interrupt: interrupt)
  }

  /// Returns a time inside the file, at most 100 hours where its length is unknown.
  private func clamp(_ seconds: Double, to file: AudioFile) -> Double {
    guard seconds.isFinite else { return 0 }
    return min(max(0, seconds), file.duration ?? 360_000)
  }

  /// Begins a section of the cable for the next frames of ``playing``; false if a newer job flushed it.
  private func begin(_ format: PCMFormat) -> Bool {
    guard let playing, let cable = format.cable,
      let next = source.setFormat(
        cable, after: section, startsRecording: playing.file.position == 0)
    else {
      isDecoding = false
      return false
    }
    section = next
    supply.begin(section: next, rate: format.rate)
    self.format = format
    let segment = PlaybackTimeline.Segment(
      section: next, song: playing.song, start: playing.file.position, rate: format.rate,
      duration: playing.file.duration)
    timeline.value.withLock { $0.append(segment) }
    return true
  }

  /// Decodes one chunk and writes it; waits for room.
  private func writeChunk() {
    guard let playing else {
      isDecoding = false
      return
    }
    do {
      guard let next = try playing.file.next() else {
        return advance(after: playing.file.earlyEnd())
      }
      guard next == format || begin(next) else { return }
      let frames = try playing.file.read(into: buffer)
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<(frames * next.frameSize)])
      supply.add(frames: frames)
      // Written in part: the section is over, and the job that ended it is on its way.
      if source.write(bytes, section: section) < frames { isDecoding = false }
    } catch {
      advance(after: error.kind == .cancelled ? nil : error)
    }
  }

  /// Ends the current song.
  private func endSong() {
    isDecoding = false
    playing = nil
  }

  /// Goes on with the next song that can be opened, without a gap; ends the section after the last one.
  ///
  /// - Parameter failure: Why the current song ends too early; nil if it ends as it should.
  private func advance(after failure: MediaFailure?) {
    guard var (song, file) = playing, !lease.isOver else { return endSong() }
    if let failure {
      let end = EarlyEnd(
        song: song, seconds: Double(file.position) / Double(file.format.rate), failure: failure)
      timeline.value.withLock { $0.append(end) }
    }
    if !timeline.value.withLock({ $0.order.contains(song) }) {
      let order = listDisc(song)
      guard !lease.isOver else { return endSong() }
      timeline.value.withLock { $0.order = order }
    }
    while let next = timeline.value.withLock({ $0.order.neighbour(of: song) }) {
      song = next
      do {
        file = try AudioFile(path: next.path, subject: next.item, interrupt: LibavInterrupt())
        guard !lease.isOver else { return endSong() }
        playing = (next, file)
        format = nil
        if begin(file.format) { events.yield(.nextSong(next)) }
        return
      } catch {
        events.yield(.skipped(error))
      }
    }
    guard !lease.isOver else { return endSong() }
    endSong()
    let last = section
    timeline.value.withLock { $0.lastSection = last }
    source.end(section: last)
  }
}

/// Whether a ``PlaybackThread`` still works for its engine. Safe from any thread.
final class ThreadLease: Sendable {
  private let over = Atomic<Bool>(false)

  /// Whether another thread has taken its place: this one changes nothing more.
  var isOver: Bool { over.load(ordering: .acquiring) }

  /// Ends the lease.
  func end() { over.store(true, ordering: .releasing) }
}

extension PCMFormat {
  /// The same format as the cable names it; nil where the cable has none for it.
  var cable: CableFormat? {
    let type: CableSampleFormat =
      switch sample {
      case .int16: .s16
      case .int32: .s32
      case .float32: .f32
      }
    let layout = UInt32(truncatingIfNeeded: speakers)
    if speakers != 0, speakers >> 32 == 0,
      let known = CableFormat(rate: rate, channels: channels, sample: type, layout: layout)
    {
      return known
    }
    return CableFormat(rate: rate, channels: channels, sample: type)
  }
}
