import Glibc
import Platform

/// The state of a source and its I/O thread. Everything mutable is guarded by `monitor`.
///
/// Safe: every access to a `var` happens inside `monitor.locked`; methods marked "locked" are
/// called there alone.
final class CableSourceCore: @unchecked Sendable {

  /// Sound that waits to be sent at most; a waiting decoder is woken at a quarter, so that it wakes
  /// seldom, works long enough to find its caches warm, and credit always finds sound.
  static let lead: Int64 = 1_000_000_000
  /// Sound that is kept, sent or not: what a pause can take back.
  static let kept: Int64 = 2_000_000_000
  /// How long a sink may give nothing before the source goes on by its own clock.
  static let patience: Int64 = 500_000_000
  /// How long a sink may take to answer a flush.
  static let flushTime: Int64 = 300_000_000
  static let handshakeTime: Int64 = 2_000_000_000

  let monitor = Monitor()
  let clock: any CableClock
  let events: AsyncStream<CableSourceEvent>.Continuation
  let ioEvent: WakeupDescriptor

  var queue = CableQueue()
  var timeline = CableTimeline()
  var link: CableSourceLink?
  var paused = false
  var closed = false
  var writersWait = false
  /// Whether the sink's reports are the clock; else the own clock is.
  var playing = false
  /// The last byte known to have been heard, and when.
  var heardByte: UInt64 = 0
  var heardTime: Int64
  /// Whether the position moves between reports, and the byte the device holds at least.
  var running = false
  /// The own clock began in the past: what the decoder is behind is its to make good.
  var catchingUp = false
  var deviceByte: UInt64 = 0
  var drained = false
  /// Which byte the last answered flush was heard up to.
  var flushAnswer: UInt64?
  /// Whether a flush, a pause or a resume is under way.
  var busy = false

  init(
    clock: any CableClock, events: AsyncStream<CableSourceEvent>.Continuation
  ) throws(CableError) {
    self.clock = clock
    self.events = events
    heardTime = clock.now
    ioEvent = try .forCable()
  }

  deinit { ioEvent.close() }

  func wake() { ioEvent.signal() }

  /// The I/O thread.
  func run() {
    while true {
      let plan = monitor.locked { () -> (CableSourceLink?, Int16, Int32)? in
        guard !closed else { return nil }
        tick()
        pump()
        let output = link.map { $0.outbox.isEmpty ? 0 : POLLOUT } ?? 0
        return (link, Int16(POLLIN | output), deadline.map { clock.timeout(until: $0) } ?? -1)
      }
      guard let (link, interest, timeout) = plan else { return }
      var polls = (
        pollfd(fd: ioEvent.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: link?.descriptor ?? -1, events: interest, revents: 0)
      )
      _ = withUnsafeMutableBytes(of: &polls) { bytes in
        poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 2, timeout)
      }
      if polls.0.revents != 0 { ioEvent.clear() }
      if polls.1.revents != 0, let link {
        monitor.locked { if self.link === link { receive(link) } }
      }
    }
  }

  // MARK: Locked

  /// Lets time pass: the own clock, and the patience with the sink.
  func tick() {
    let now = clock.now
    if let link {
      if let awaiting = link.awaiting, awaiting.deadline <= now { finishFlush(nil) }
      if playing, !link.outbox.flush(to: link.descriptor) { unplug(Self.gone) }
    }
    if playing, let patience = patienceDeadline, patience <= now, let link {
      enterClock(at: link.lastProgress)
      catchingUp = true
    }
    guard !playing, !paused else { return }
    let byte = timeline.advance(heardByte, by: now - heardTime, end: queue.written)
    queue.sent = max(queue.sent, byte)
    if byte < queue.written {
      catchingUp = false
    } else {
      if timeline.current.ended { finish() }
      let late = now - heardTime - timeline.duration(from: heardByte, to: byte)
      if !catchingUp || late > 1_000_000_000 {
        heardByte = byte
        heardTime = now
      }
    }
    wakeWriters()
  }

  /// The next moment at which `tick` has something to do.
  private var deadline: Int64? {
    if let awaiting = link?.awaiting { return awaiting.deadline }
    if playing { return patienceDeadline }
    guard !paused, writersWait || (timeline.current.ended && !drained) else { return nil }
    let target =
      timeline.current.ended || queue.pending < lead / 4
      ? queue.written : queue.written - UInt64(lead / 4)
    // A millisecond more, so that rounding never makes it too early.
    return heardTime + timeline.duration(from: heardByte, to: target) + 1_000_000
  }

  /// When the source stops waiting for the sink; `nil` when it does not wait.
  private var patienceDeadline: Int64? {
    guard let link, !paused else { return nil }
    if link.endSent {
      guard !drained else { return nil }
      return link.lastProgress + timeline.duration(from: heardByte, to: queue.sent)
        + 2 * Self.patience
    }
    return queue.pending > 0 ? link.lastProgress + Self.patience : nil
  }

  /// Bytes of the lead in the present format.
  var lead: Int {
    guard let format = timeline.current.format else { return 0 }
    return format.frames(inNanoseconds: Self.lead) * format.frameBytes
  }

  func wakeWriters() {
    guard writersWait, queue.pending <= lead / 4 else { return }
    writersWait = false
    monitor.wakeAll()
  }

  /// What is heard at `now`.
  func byte(at now: Int64) -> UInt64 {
    let elapsed = max(0, now - heardTime)
    if paused { return heardByte }
    guard playing else { return timeline.advance(heardByte, by: elapsed, end: queue.written) }
    guard running else { return heardByte }
    let sure = timeline.advance(heardByte, by: elapsed, end: max(deviceByte, heardByte))
    let likely = timeline.advance(heardByte, by: min(elapsed, 250_000_000), end: queue.sent)
    return max(sure, likely)
  }

  /// The last frame of an ended section has passed.
  func finish() {
    guard !drained else { return }
    drained = true
    events.yield(.drained(section: timeline.current.id))
  }

  /// From here the own clock counts; `moment` is when the sound stopped.
  func enterClock(at moment: Int64) {
    guard playing else { return }
    heardByte = byte(at: moment)
    heardTime = moment
    running = false
    playing = false
    catchingUp = false
    rewind(to: heardByte)
    link?.awaiting = nil
    monitor.wakeAll()
    events.yield(.heard(false))
  }

  /// From here the sink counts.
  func enterPlaying() {
    guard !playing, let link else { return }
    heardByte = byte(at: clock.now)
    deviceByte = heardByte
    running = false
    playing = true
    rewind(to: heardByte)
    link.lastProgress = clock.now
    if let format = link.format, !link.begin(at: queue.sent, format, flush: true) {
      return unplug(Self.gone)
    }
    events.yield(.heard(true))
    pump()
  }

  /// The next byte to send is the one at `byte`, or the oldest that is still kept.
  func rewind(to byte: UInt64) {
    queue.sent = byte >= queue.base ? byte : min(timeline.aligned(queue.base), queue.written)
  }

  func unplug(_ error: CableError) {
    guard let link else { return }
    enterClock(at: clock.now)
    _ = link.send(.close(reason: error.message))
    self.link = nil
    monitor.wakeAll()
    events.yield(.unplugged(error))
  }

  static var gone: CableError { CableError(.closed, "The amplifier went away.") }
}
