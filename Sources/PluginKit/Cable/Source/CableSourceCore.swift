import Glibc
import Platform

/// The state of a source and its I/O thread. Everything mutable is guarded by `monitor`.
///
/// Safe: every access to a `var` happens inside `monitor.withLock`; the methods below the mark
/// "Inside the monitor" are called there alone.
final class CableSourceCore: @unchecked Sendable {
  /// The most sound that waits to be sent, ns. A waiting decoder is woken when a quarter is left: so it
  /// wakes rarely, works in long pieces with warm caches, and there is always sound for new credit.
  private static let lead: Int64 = 1_000_000_000
  /// Sound that is kept, sent or not, so that a pause can take it back, ns.
  private static let kept: Int64 = 2_000_000_000
  /// The longest time without credit, ns, before the source paces by its own clock.
  private static let patience: Int64 = 500_000_000
  /// How long a sink may take to answer a flush, ns.
  private static let flushTime: Int64 = 300_000_000

  private let monitor = Monitor()
  private let clock: any CableClock
  private let events: AsyncStream<CableSourceEvent>.Continuation
  private let ioEvent: WakeupDescriptor

  private var queue = CableQueue()
  private var timeline = CableTimeline()
  private var link: CableSourceLink?
  private var paused = false
  private var closed = false
  private var writersWait = false
  /// Whether the sink's reports are the clock; otherwise the source's own clock is.
  private var playing = false
  private var playhead: CablePlayhead
  /// Whether the source's clock began in the past, so that the decoder catches up.
  private var catchingUp = false
  private var drained = false
  /// The last heard byte of the last answered flush.
  private var flushAnswer: UInt64?
  /// Whether a flush, a pause or a resume is under way.
  private var busy = false
  /// The time until which the I/O thread sleeps; `nil` when only an event wakes it.
  private var ioDeadline: Int64?

  init(
    clock: any CableClock, events: AsyncStream<CableSourceEvent>.Continuation
  ) throws(CableError) {
    self.clock = clock
    self.events = events
    playhead = CablePlayhead(at: clock.now)
    ioEvent = try .forCable()
  }

  deinit { ioEvent.close() }

  func wake() { ioEvent.signal() }

  // MARK: Any thread

  var section: UInt32 { monitor.withLock { timeline.current.id } }

  var isHeard: Bool { monitor.withLock { playing } }

  var position: CablePosition {
    monitor.withLock {
      tick()
      return timeline.frame(at: byte(at: clock.now))
    }
  }

  func setFormat(
    _ format: CableFormat, after section: UInt32, startsRecording: Bool
  ) -> UInt32? {
    monitor.withLock {
      guard !closed, section == timeline.current.id else { return nil }
      tick()
      queue.reserve(format.frames(inNanoseconds: Self.kept) * format.frameBytes)
      drained = false
      return timeline.begin(at: queue.written, format, startsRecording: startsRecording)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, section: UInt32) -> Int {
    monitor.withLock {
      guard let format = timeline.current.format else { return 0 }
      let frame = format.frameBytes
      let whole = bytes.count / frame * frame
      var taken = 0
      while taken < whole, !closed, section == timeline.current.id, !timeline.current.ended {
        tick()
        let room = (lead - queue.pending) / frame * frame
        guard room > 0 else {
          writersWait = true
          wakeForDeadline()
          monitor.wait()
          continue
        }
        let count = min(room, whole - taken)
        queue.append(UnsafeRawBufferPointer(rebasing: bytes[taken..<(taken + count)]))
        taken += count
        let isBlocked = link?.outbox.isEmpty == false
        sendSound()
        // The socket has become full: the I/O thread sends the rest when there is room.
        if !isBlocked, link?.outbox.isEmpty == false { wake() }
      }
      wakeForDeadline()
      return taken / frame
    }
  }

  func end(section: UInt32) {
    monitor.withLock {
      guard section == timeline.current.id, !timeline.current.ended else { return }
      tick()
      timeline.end()
      sendSound()
      wake()
    }
  }

  func flush() -> (heard: CablePosition, section: UInt32) {
    performChange {
      let point = queue.written
      let before = timeline
      var heard = before.frame(at: byte(at: clock.now))
      let section = timeline.begin(at: point, timeline.current.format)
      drained = false
      let sent = queue.sent
      queue.sent = point
      playhead.stop(at: point, clock.now)
      monitor.wakeAll()
      if playing, !paused, let link, let format = link.format, !link.isFlushed(at: sent) {
        if let byte = requestFlush(link, at: point, format) {
          heard = before.frame(at: min(byte, sent))
        }
      } else {
        dropStalledSound()
        link?.moveStart(to: point)
      }
      sendSound()
      return (heard, section)
    }
  }

  func pause() -> CablePosition {
    performChange {
      guard !paused else { return timeline.frame(at: playhead.byte) }
      var byte = self.byte(at: clock.now)
      paused = true
      playhead.stop(at: byte, clock.now)
      if playing, let link, let format = link.format {
        byte = min(requestFlush(link, at: byte, format) ?? byte, queue.sent)
      } else {
        dropStalledSound()
      }
      playhead.stop(at: byte, clock.now)
      rewind(to: byte)
      self.link?.moveStart(to: queue.sent)
      return timeline.frame(at: byte)
    }
  }

  func resume() {
    performChange {
      guard paused else { return }
      paused = false
      playhead.stop(at: playhead.byte, clock.now)
      link?.lastProgress = clock.now
      sendSound()
      wake()
      monitor.wakeAll()
    }
  }

  func close() {
    monitor.withLock {
      guard !closed else { return }
      if let link { _ = link.send(.close(reason: "The player closed the cable.")) }
      link = nil
      closed = true
      playing = false
      monitor.wakeAll()
      events.finish()
      wake()
    }
  }

  func disconnect() {
    monitor.withLock { unplug(CableError(.closed, "The player pulled the cable out.")) }
    wake()
  }

  func connect(path: String, token: CableToken) throws(CableError) {
    let link = CableSourceLink(descriptor: try CableDescriptor.connect(to: path))
    guard link.send(.hello(version: CableMessage.version, token: token.text)) else {
      throw Self.gone
    }
    link.heard = try link.awaitCredit()
    var failure: CableError?
    monitor.withLock {
      if closed {
        failure = CableError(.closed, "The source is closed.")
      } else {
        adopt(link)
      }
    }
    wake()
    if let failure { throw failure }
  }

  // MARK: The I/O thread

  /// Sends, receives and keeps time until the source is closed.
  func run() {
    while true {
      let plan = monitor.withLock { () -> (CableSourceLink?, Int16, Int32)? in
        guard !closed else { return nil }
        tick()
        sendSound()
        let output = link.map { $0.outbox.isEmpty ? 0 : POLLOUT } ?? 0
        ioDeadline = deadline
        return (link, Int16(POLLIN | output), ioDeadline.map { clock.timeout(until: $0) } ?? -1)
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
        monitor.withLock { if self.link === link { receive(link) } }
      }
    }
  }

  // MARK: Inside the monitor

  private func adopt(_ link: CableSourceLink) {
    tick()
    if self.link != nil { unplug(CableError(.closed, "Another cable was plugged in.")) }
    self.link = link
    link.lastProgress = clock.now
    events.yield(.plugged)
    if link.heard { paceByCredit() }
    do throws(CableError) {
      try parse(link)
    } catch {
      unplug(error)
    }
  }

  /// Runs one change of playback at a time, after the clock has been advanced.
  private func performChange<Result>(_ body: () -> Result) -> Result {
    monitor.withLock {
      while busy { monitor.wait() }
      busy = true
      defer {
        busy = false
        monitor.wakeAll()
      }
      tick()
      return body()
    }
  }

  /// Flushes the sink and waits for the last heard byte; `nil` without an answer.
  private func requestFlush(
    _ link: CableSourceLink, at start: UInt64, _ format: CableFormat
  ) -> UInt64? {
    let now = clock.now
    guard link.begin(at: start, format, flush: true) else {
      unplug(Self.gone)
      return nil
    }
    link.lastProgress = now
    link.awaiting = (link.epoch, now + Self.flushTime)
    flushAnswer = nil
    wake()
    while link.awaiting != nil, self.link === link { monitor.wait() }
    return flushAnswer
  }

  /// Tells a sink that has stalled to drop the sound that it still holds, which it would play when it goes on.
  ///
  /// Nobody waits for the answer: the source's own clock tells the position.
  private func dropStalledSound() {
    guard !playing, let link, link.heard, let format = link.format else { return }
    if !link.begin(at: queue.sent, format, flush: true) { unplug(Self.gone) }
  }

  /// Wakes the I/O thread if it would sleep longer than until the next deadline.
  private func wakeForDeadline() {
    guard let deadline, ioDeadline.map({ deadline < $0 }) ?? true else { return }
    ioDeadline = deadline
    wake()
  }

  /// Sends sound as far as credit allows.
  private func sendSound() {
    guard playing, !paused, let link else { return }
    if !link.send(from: &queue, timeline, ending: timeline.current.ended && !drained, at: clock.now)
    {
      return unplug(Self.gone)
    }
    wakeWriters()
  }

  /// Advances the source's clock, and checks the timeout of the sink.
  private func tick() {
    let now = clock.now
    if let link {
      if isOverdue(link, at: now) {
        // A thread that was held up judges by what the sink has said meanwhile.
        receive(link)
      }
      if let awaiting = link.awaiting, awaiting.deadline <= now { finishFlush(nil) }
    }
    // Also while the source's own clock paces: the sink may hold the first half of a message.
    if let link, !link.outbox.flush(to: link.descriptor) { unplug(Self.gone) }
    if playing, let patience = patienceDeadline, patience <= now, let link {
      paceByClock(at: link.lastProgress)
      catchingUp = true
    }
    guard !playing, !paused else { return }
    let byte = timeline.advance(playhead.byte, by: now - playhead.time, end: queue.written)
    queue.sent = max(queue.sent, byte)
    if byte < queue.written {
      catchingUp = false
    } else {
      if timeline.current.ended { finishSection() }
      let late = now - playhead.time - timeline.duration(from: playhead.byte, to: byte)
      if !catchingUp || late > 1_000_000_000 { playhead.stop(at: byte, now) }
    }
    wakeWriters()
  }

  /// Whether the sink has not answered or gone on in time, as far as its messages were read.
  private func isOverdue(_ link: CableSourceLink, at now: Int64) -> Bool {
    if let awaiting = link.awaiting, awaiting.deadline <= now { return true }
    return playing && patienceDeadline.map { $0 <= now } ?? false
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
    return playhead.time + timeline.duration(from: playhead.byte, to: target) + 1_000_000
  }

  /// When the source stops waiting for the sink; `nil` when it does not wait.
  private var patienceDeadline: Int64? {
    guard let link, !paused else { return nil }
    if link.endSent {
      guard !drained else { return nil }
      return link.lastProgress + timeline.duration(from: playhead.byte, to: queue.sent)
        + 2 * Self.patience
    }
    return queue.pending > 0 ? link.lastProgress + Self.patience : nil
  }

  /// Bytes of the lead in the present format.
  private var lead: Int {
    guard let format = timeline.current.format else { return 0 }
    return format.frames(inNanoseconds: Self.lead) * format.frameBytes
  }

  private func wakeWriters() {
    guard writersWait, queue.pending <= lead / 4 else { return }
    writersWait = false
    monitor.wakeAll()
  }

  /// Reports that the last frame of an ended section was heard, or has passed unheard.
  private func finishSection() {
    guard !drained else { return }
    drained = true
    events.yield(.drained(section: timeline.current.id))
  }

  /// Begins to pace by the source's clock.
  /// - Parameter moment: The time at which the sound stopped.
  private func paceByClock(at moment: Int64) {
    guard playing else { return }
    playhead.stop(at: byte(at: moment), moment)
    playing = false
    catchingUp = false
    rewind(to: playhead.byte)
    link?.awaiting = nil
    monitor.wakeAll()
    events.yield(.heard(false))
  }

  /// Begins to pace by the sink's credit.
  private func paceByCredit() {
    guard !playing, let link else { return }
    playhead.stop(at: byte(at: clock.now), clock.now)
    playing = true
    rewind(to: playhead.byte)
    link.lastProgress = clock.now
    if let format = link.format, !link.begin(at: queue.sent, format, flush: true) {
      return unplug(Self.gone)
    }
    events.yield(.heard(true))
    sendSound()
  }

  /// The next byte to send is the one at `byte`, or the oldest that is still kept.
  private func rewind(to byte: UInt64) {
    queue.sent = byte >= queue.base ? byte : min(timeline.aligned(queue.base), queue.written)
  }

  private func unplug(_ error: CableError) {
    guard let link else { return }
    paceByClock(at: clock.now)
    _ = link.send(.close(reason: error.message))
    self.link = nil
    monitor.wakeAll()
    events.yield(.unplugged(error))
  }

  private static var gone: CableError { CableError(.closed, "The amplifier went away.") }

  /// The byte that is heard at `now`.
  private func byte(at now: Int64) -> UInt64 {
    if paused { return playhead.byte }
    if playing { return playhead.estimate(at: now, timeline, sent: queue.sent) }
    return timeline.advance(playhead.byte, by: max(0, now - playhead.time), end: queue.written)
  }

  // MARK: Messages of the sink, inside the monitor

  /// Reads and handles the messages that have arrived.
  private func receive(_ link: CableSourceLink) {
    do throws(CableError) {
      if let count = try link.inbox.receive(from: link.descriptor), count == 0 {
        throw Self.gone
      }
      try parse(link)
    } catch {
      unplug(error)
    }
  }

  /// Handles the whole messages that have come.
  private func parse(_ link: CableSourceLink) throws(CableError) {
    while self.link === link {
      guard
        try link.inbox.next({ (message, _) throws(CableError) in
          try handle(message, link)
        })
      else { return }
    }
  }

  private func handle(_ message: CableMessage, _ link: CableSourceLink) throws(CableError) {
    switch message {
    case .credit(let epoch, let limit, let heard):
      handleCredit(link, epoch, limit, heard)
    case .heard(let epoch, let frames, let delay, let time):
      try handleHeard(link, epoch, frames, delay, time)
    case .flushed(let epoch, let frames, let of):
      guard epoch == link.awaiting?.epoch else { return }
      finishFlush(link.byte(of, Int64(clamping: frames), flushed: true))
    case .drained(let epoch):
      guard epoch == link.epoch, link.endSent, playing, timeline.current.ended else { return }
      playhead.stop(at: queue.sent, clock.now)
      finishSection()
    case .close(let reason):
      throw CableError(.closed, "The amplifier closed the cable: \(reason)")
    case .hello, .format, .data, .flush, .end:
      throw CableError(.violation, "A sink does not send such a message.")
    }
  }

  private func handleCredit(
    _ link: CableSourceLink, _ epoch: UInt32, _ limit: UInt64, _ heard: Bool
  ) {
    link.heard = heard
    guard heard else { return paceByClock(at: clock.now) }
    let raised = epoch == link.epoch && limit > link.limit
    if raised {
      link.limit = limit
      link.lastProgress = clock.now
    }
    if !playing {
      paceByCredit()
    } else {
      sendSound()
    }
  }

  private func handleHeard(
    _ link: CableSourceLink, _ epoch: UInt32, _ frames: UInt64, _ delay: UInt32, _ time: UInt64
  ) throws(CableError) {
    let now = clock.now
    link.lastProgress = now
    // Before the first frame of the epoch, the position stands.
    guard playing, link.awaiting == nil, !paused, frames > 0 else { return }
    let taken = Int64(clamping: frames)
    guard let device = link.byte(epoch, taken),
      let byte = link.byte(epoch, taken - Int64(delay))
    else { return }
    guard device <= queue.sent else {
      throw CableError(.violation, "The amplifier heard frames that were not sent.")
    }
    let said = Int64(clamping: time)
    var moment = said <= now && now - said < 1_000_000_000 ? said : now
    if byte <= playhead.byte, taken < Int64(delay), let format = link.format {
      // Still inside the device: the first frame is heard when the delay is over.
      moment += format.nanoseconds(ofFrames: Int(Int64(delay) - taken))
    }
    playhead.recordReport(byte, device: device, at: moment)
    timeline.forget(before: min(playhead.byte, queue.base))
  }

  /// Handles the answer to a flush: the last heard byte, or `nil` after the timeout.
  private func finishFlush(_ byte: UInt64?) {
    guard let link, link.awaiting != nil else { return }
    link.awaiting = nil
    flushAnswer = byte
    monitor.wakeAll()
  }
}
