import MediaFolders
import MediaNetwork
import Platform
import PluginKit

/// The thread of a ``Receiver``: does jobs, and between them decodes into the cable.
///
/// Belongs to that thread alone.
final class ReceiverThread {
  /// Bytes decoded at a time; small, so that a slow stream is passed on as it arrives.
  private static let chunk = 8_192
  /// Nanoseconds that a connection must last for the retry delay to begin anew.
  private static let healthy: Int64 = 30_000_000_000
  /// The most bytes that are gathered after a break: 16 s of stereo at 96 kHz.
  private static let mostHeld = 16 << 20

  private let source: CableSource
  private let supply: SoundSupply
  private let mailbox: Mailbox<ReceiverJob>
  private let events: AsyncStream<ReceiverEvent>.Continuation
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
  private let freshDelay: RetryDelay
  private let patience: UInt64
  /// The proxy, through which stations are reached; started with the first one.
  private var proxy: MediaProxy?
  private let makeProxy: @Sendable () throws(SystemError) -> MediaProxy
  private var section: UInt32 = 0
  private var number = 0

  init(
    source: CableSource, supply: SoundSupply, mailbox: Mailbox<ReceiverJob>,
    events: AsyncStream<ReceiverEvent>.Continuation, retryDelay: RetryDelay, patience: UInt64,
    makeProxy: @escaping @Sendable () throws(SystemError) -> MediaProxy
  ) {
    self.source = source
    self.makeProxy = makeProxy
    self.supply = supply
    self.patience = patience
    self.mailbox = mailbox
    self.events = events
    freshDelay = retryDelay
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
          case .noise(let band): playNoise(of: band)
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

  /// Plays noise until the next job.
  private func playNoise(of band: Band) -> ReceiverJob {
    var noise = StaticNoise(band)
    guard begin(StaticNoise.format) else { return mailbox.wait() }
    report(.playing(kind: "static", StaticNoise.format))
    while true {
      if let job = mailbox.popFirst() { return job }
      noise.fill(buffer)
      if !write(UnsafeRawBufferPointer(buffer), StaticNoise.format) {
        return mailbox.wait()
      }
    }
  }

  /// Receives a station until the next job; reconnects when the connection ends.
  private func receive(_ station: Station, _ interrupt: LibavInterrupt) -> ReceiverJob {
    var retryDelay = freshDelay
    while true {
      let start = MonotonicClock.now
      let failure: MediaFailure
      do throws(MediaFailure) {
        let connection = try RadioConnection(
          station, through: runningProxy(), patience: patience, interrupt: interrupt)
        if let job = try play(connection) { return job }
        failure = MediaFailure(
          .unreachable, subject: station.name, detail: "its stream broke off")
      } catch {
        failure = error.atStation
      }
      // Any failure but a cancellation leads to a new connection.
      if interrupt.isCancelled { return mailbox.wait() }
      if MonotonicClock.now - start > Self.healthy { retryDelay.reset() }
      let wait = Int(retryDelay.next() / .milliseconds(1))
      report(.lost(failure, failures: retryDelay.failures, retry: wait))
      if let job = mailbox.wait(milliseconds: wait) { return job }
    }
  }

  /// Returns the proxy; starts it if it does not run yet.
  private func runningProxy() throws(MediaFailure) -> MediaProxy {
    if let proxy { return proxy }
    do throws(SystemError) {
      let new = try makeProxy()
      proxy = new
      return new
    } catch {
      throw MediaFailure(
        .unreachable, subject: "", detail: "no connection can be made: \(error)",
        hint: "See the limits with: ulimit -a")
    }
  }

  /// Plays a connection to its end (nil) or to the next job.
  private func play(_ connection: RadioConnection) throws(MediaFailure) -> ReceiverJob? {
    var format: PCMFormat?
    var gathering = GatheringPolicy()
    // The sound that is gathered after a break.
    var held: [UInt8] = []
    func playHeld() -> Bool {
      defer { held = [] }
      guard let format, !held.isEmpty else { return true }
      return held.withUnsafeBytes { write($0, format) }
    }
    do throws(MediaFailure) {
      while true {
        if let job = mailbox.popFirst() { return job }
        guard let (next, frames) = try connection.read(into: buffer) else { break }
        if next != format {
          guard playHeld(), begin(next) else { return mailbox.wait() }
          format = next
          report(.playing(kind: connection.track.demuxer.kind, next))
        }
        if let title = connection.newTitle() { report(.title(title)) }
        held += buffer[..<(frames * next.frameSize)]
        let isEnough = gathering.add(
          Int64(frames) * 1_000_000_000 / Int64(next.rate),
          remaining: supply.remaining(at: source.position).nanoseconds, now: MonotonicClock.now)
        if isEnough || held.count > Self.mostHeld, !playHeld() { return mailbox.wait() }
      }
    } catch {
      if !playHeld() { return mailbox.wait() }
      throw error
    }
    return playHeld() ? nil : mailbox.wait()
  }

  /// Begins a section; false if a newer tuning has flushed the cable.
  private func begin(_ format: PCMFormat) -> Bool {
    guard let cable = format.cable, let next = source.setFormat(cable, after: section) else {
      return false
    }
    section = next
    supply.begin(section: next, rate: format.rate)
    return true
  }

  /// Writes whole frames; false if a newer tuning has flushed the cable.
  private func write(_ bytes: UnsafeRawBufferPointer, _ format: PCMFormat) -> Bool {
    let frames = bytes.count / format.frameSize
    supply.add(frames: frames)
    return source.write(bytes, section: section) == frames
  }

  private func report(_ kind: ReceiverEvent.Kind) {
    events.yield(ReceiverEvent(number: number, kind: kind))
  }
}

extension MediaFailure {
  /// The same failure with a hint that suits a station.
  fileprivate var atStation: MediaFailure {
    switch kind {
    case .corrupt, .unsupported:
      MediaFailure(
        .unsupported, subject: subject, detail: "its address sends no MP3, AAC, Ogg or FLAC stream",
        hint: "Give the address of the stream or of its playlist, not of a web page.")
    case .missing:
      MediaFailure(
        .unreachable, subject: subject, detail: "its server is not known",
        hint: "Check the address and the network.")
    default: self
    }
  }
}
