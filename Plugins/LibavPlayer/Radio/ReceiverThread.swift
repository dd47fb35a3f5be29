import Platform
import PluginKit

/// The thread of a ``Receiver``.
final class ReceiverThread {
  /// Bytes at a time; small, so that a slow stream is passed on as it comes.
  private static let chunk = 8_192
  /// After so long without a fault, in nanoseconds, a new fault begins with short waits again.
  private static let healthy: Int64 = 30_000_000_000

  private let source: CableSource
  private let supply: SoundSupply
  private let mailbox: Mailbox<ReceiverJob>
  private let events: AsyncStream<ReceiverEvent>.Continuation
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
  private let freshBackoff: Backoff
  private let patience: UInt64
  private var section: UInt32 = 0
  private var number = 0

  init(
    source: CableSource, supply: SoundSupply, mailbox: Mailbox<ReceiverJob>,
    events: AsyncStream<ReceiverEvent>.Continuation, backoff: Backoff, patience: UInt64
  ) {
    self.source = source
    self.supply = supply
    self.patience = patience
    self.mailbox = mailbox
    self.events = events
    freshBackoff = backoff
  }

  deinit {
    buffer.deallocate()
    events.finish()
  }

  /// Works until `quit`.
  func run() {
    var job = mailbox.wait()
    while true {
      switch job {
      case .tune(let programme, let number, let section, let interrupt):
        self.section = section
        self.number = number
        job =
          switch programme {
          case .noise(let band): hiss(band)
          case .station(let station): receive(station, interrupt)
          }
      case .warmUp:
        try? Libav.load()
        job = mailbox.wait()
      case .silence: job = mailbox.wait()
      case .quit: return
      }
    }
  }

  /// Makes noise until the next job.
  private func hiss(_ band: Band) -> ReceiverJob {
    var noise = Static(band)
    guard begin(Static.format) else { return mailbox.wait() }
    tell(.playing(kind: "static", Static.format))
    while true {
      if let job = mailbox.poll() { return job }
      noise.fill(buffer)
      if write(buffer.count / Static.format.frameSize, Static.format) == false {
        return mailbox.wait()
      }
    }
  }

  /// Receives a station, again and again, until the next job.
  private func receive(_ station: Station, _ interrupt: LibavInterrupt) -> ReceiverJob {
    var backoff = freshBackoff
    while true {
      let start = MonotonicClock.now
      let failure: MediaFailure
      do throws(MediaFailure) {
        if let job = try play(RadioConnection(station, patience: patience, interrupt: interrupt)) {
          return job
        }
        failure = MediaFailure(
          .unreachable, subject: station.name, detail: "its stream broke off")
      } catch {
        failure = error.atStation
      }
      // Not by the failure's kind: whatever else ends a connection, the station is called again.
      if interrupt.isCancelled { return mailbox.wait() }
      if MonotonicClock.now - start > Self.healthy { backoff.reset() }
      let wait = backoff.next()
      tell(.lost(failure, failures: backoff.failures, retry: wait))
      if let job = mailbox.wait(milliseconds: wait) { return job }
    }
  }

  /// Plays a connection to its end (nil) or to the next job.
  private func play(_ connection: RadioConnection) throws(MediaFailure) -> ReceiverJob? {
    var format: PCMFormat?
    while true {
      if let job = mailbox.poll() { return job }
      guard let (next, frames) = try connection.take(into: buffer) else { return nil }
      if next != format {
        guard begin(next) else { return mailbox.wait() }
        format = next
        tell(.playing(kind: connection.track.demuxer.kind, next))
      }
      if let title = connection.newTitle() { tell(.title(title)) }
      if write(frames, next) == false { return mailbox.wait() }
    }
  }

  /// Begins a section; false when a newer tuning is on its way.
  private func begin(_ format: PCMFormat) -> Bool {
    guard let cable = format.cable, let next = source.setFormat(cable, after: section) else {
      return false
    }
    section = next
    supply.begin(section: next)
    return true
  }

  /// Writes frames of the buffer; false when a newer tuning is on its way.
  private func write(_ frames: Int, _ format: PCMFormat) -> Bool {
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<(frames * format.frameSize)])
    supply.add(frames: frames)
    return source.write(bytes, section: section) == frames
  }

  private func tell(_ kind: ReceiverEvent.Kind) {
    events.yield(ReceiverEvent(number: number, kind: kind))
  }
}

extension MediaFailure {
  /// The same failure with the advice that suits a station.
  fileprivate var atStation: MediaFailure {
    switch kind {
    case .corrupt, .unsupported:
      MediaFailure(
        .unsupported, subject: subject, detail: "its address sends no MP3, AAC, Ogg or FLAC stream",
        hint: "Give the address of the stream itself, not of a playlist or a web page.")
    case .missing:
      MediaFailure(
        .unreachable, subject: subject, detail: "its server is not known",
        hint: "Check the address and the network.")
    default: self
    }
  }
}
