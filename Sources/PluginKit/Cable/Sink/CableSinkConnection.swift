import Glibc
import Platform
import Synchronization

/// The sink's side of one connection, used on the I/O thread: checks messages, fills the ring,
/// grants credit.
final class CableSinkConnection {
  let descriptor: Int32

  private let serial: UInt32
  private let ring: UnsafeMutablePointer<CableRing>
  private let ringTime: Int64
  /// The time in which the audio thread must confirm a flush, ns.
  private let confirmationTime: Int64
  private var heard: Bool
  private var inbox = CableInbox(largest: CableLimit.payload)
  private var outbox = CableOutbox()
  private var outgoing: [UInt8] = []

  private var epoch: UInt32 = 0
  private var format: CableFormat?
  private var received: UInt64 = 0
  private var limit: UInt64 = 0
  private var ended = false
  /// The queue of markers is full, so nothing is read until the audio thread takes one.
  private var blocked = false
  private var owesSilence = false

  /// The generation of this connection's last marker in the ring; 0 before the first.
  private var ringGeneration: UInt64 = 0
  private var flushIndex = 0
  /// The deadline for the audio thread to confirm a flush.
  private var flushDeadline: Int64?
  /// Where each format begins in the ring's stream.
  private var spans: [(start: UInt64, format: CableFormat)] = []
  private var skipPosition: UInt64
  private var lastReport: CableReport?
  private var lastDrained: UInt64 = 0
  /// The generation that began with the last flush; reports of older ones are ignored.
  private var flushGeneration: UInt64

  init(
    descriptor: Int32, serial: UInt32, ring: UnsafeMutablePointer<CableRing>, ringTime: Int64,
    confirmationTime: Int64, heard: Bool
  ) {
    self.descriptor = descriptor
    self.serial = serial
    self.ring = ring
    self.ringTime = ringTime
    self.confirmationTime = confirmationTime
    self.heard = heard
    skipPosition = ring.pointee.tail.load(ordering: .relaxed)
    flushGeneration = UInt64(serial) << 32
    outgoing += CableMessage.credit(epoch: 0, limit: 0, heard: heard).encoded
  }

  private var generation: UInt64 { UInt64(serial) << 32 | UInt64(epoch) }

  /// The events of `poll` to wait for.
  var poll: pollfd {
    // A blocked connection is not polled at all: a hang-up would be reported again and again.
    pollfd(
      fd: blocked ? -1 : descriptor, events: Int16(outbox.isEmpty ? POLLIN : POLLIN | POLLOUT),
      revents: 0)
  }

  /// The time by which `sendProgress` must be called again.
  var deadline: Int64? {
    blocked || owesSilence ? MonotonicClock.now + 10_000_000 : flushDeadline
  }

  /// Reads and handles the messages that have arrived.
  func receive() throws(CableError) {
    guard let count = try inbox.receive(from: descriptor) else { return }
    guard count > 0 else { throw CableError(.closed, "The source closed the cable.") }
    try parse()
  }

  /// Sends confirmations, reports and credit for the audio thread's progress.
  func sendProgress() throws(CableError) {
    if owesSilence { dropSound() }
    if blocked { try parse() }
    confirmFlush()
    confirmDrained()
    sendHeard()
    sendCredit()
    guard outbox.flush(to: descriptor) else { throw Self.gone }
    guard !outgoing.isEmpty else { return }
    let bytes = outgoing
    outgoing.removeAll(keepingCapacity: true)
    guard outbox.send(bytes, to: descriptor) else { throw Self.gone }
  }

  /// Changes whether the source is heard, and sends that.
  func setHeard(_ heard: Bool) {
    self.heard = heard
    if !heard { dropSound() }
    outgoing += CableMessage.credit(epoch: epoch, limit: limit, heard: heard).encoded
  }

  /// Empties the ring, sends the reason and closes.
  func close(_ error: CableError) {
    dropSound()
    _ = outbox.send(outgoing + CableMessage.close(reason: error.message).encoded, to: descriptor)
    Glibc.close(descriptor)
  }

  private static var gone: CableError { CableError(.closed, "The source went away.") }

  private func parse() throws(CableError) {
    blocked = false
    while true {
      guard ring.pointee.takesMarker else {
        blocked = true
        return
      }
      guard
        try inbox.next({ (message, payload) throws(CableError) in
          try handle(message, payload)
        })
      else { return }
    }
  }

  private func handle(
    _ message: CableMessage, _ payload: UnsafeRawBufferPointer
  ) throws(CableError) {
    switch message {
    case .format(let epoch, let format):
      try begin(epoch)
      self.format = format
      if heard { announceFormat() }
    case .data(let epoch, _, let startsRecording):
      try accept(payload, epoch, startsRecording)
    case .flush(let epoch):
      try flush(epoch)
    case .end(let epoch):
      guard format != nil, epoch == self.epoch, !ended else {
        throw CableError(
          .violation,
          "The source sent `end` without a format, twice, or of another epoch than \(self.epoch).")
      }
      ended = true
      if heard {
        announceFormat()
        _ = ring.pointee.append(.end, generation: generation, format: format ?? .compactDisc)
      }
    case .close(let reason):
      throw CableError(.closed, "The source closed the cable: \(reason)")
    case .hello, .credit, .heard, .flushed, .drained:
      throw CableError(.violation, "A source does not send such a message here.")
    }
  }

  private func begin(_ epoch: UInt32) throws(CableError) {
    guard epoch == self.epoch &+ 1 else {
      throw CableError(.violation, "Epoch \(epoch) does not follow epoch \(self.epoch).")
    }
    self.epoch = epoch
    received = 0
    limit = 0
    ended = false
  }

  private func accept(
    _ payload: UnsafeRawBufferPointer, _ epoch: UInt32, _ startsRecording: Bool
  ) throws(CableError) {
    guard let format, epoch == self.epoch, !ended else {
      throw CableError(
        .violation,
        "The source sent sound without a format, after `end`, or of another epoch than \(self.epoch)."
      )
    }
    let (frames, rest) = payload.count.quotientAndRemainder(dividingBy: format.frameBytes)
    guard frames > 0, rest == 0 else {
      throw CableError(.violation, "Sound comes in whole frames of \(format.frameBytes) bytes.")
    }
    guard UInt64(frames) <= limit - received else {
      throw CableError(.violation, "\(frames) frames came for \(limit - received) of credit.")
    }
    received += UInt64(frames)
    guard heard else { return }
    announceFormat()
    if startsRecording {
      _ = ring.pointee.append(.start, generation: generation, format: format)
    }
    guard ring.pointee.append(payload) else {
      throw CableError(.violation, "More sound came than the ring holds.")
    }
  }

  private func flush(_ epoch: UInt32) throws(CableError) {
    guard let format else { throw CableError(.violation, "flush needs a format before it.") }
    try begin(epoch)
    guard heard else {
      answerFlush()
      return
    }
    let index = ring.pointee.append(
      .flush, generation: generation, format: format, skips: true)
    flushIndex = index ?? flushIndex
    flushDeadline = MonotonicClock.now + confirmationTime
    flushGeneration = generation
    ringGeneration = generation
    restartSpans(format)
  }

  /// Drops the content of the ring and answers a waiting flush.
  private func dropSound() {
    if ringGeneration == 0, ring.pointee.isSkipped {
      // Without this, connections to an input that is not heard would fill the queue of markers.
      owesSilence = false
    } else {
      // The generation of the last marker in the ring: dropping sound begins no new one.
      let index = ring.pointee.append(
        .silence, generation: ringGeneration, format: format ?? .compactDisc, skips: true)
      owesSilence = index == nil
    }
    skipPosition = ring.pointee.tail.load(ordering: .relaxed)
    if flushIndex > 0 { answerFlush() }
  }

  /// Puts the present epoch and format into the ring before their sound.
  private func announceFormat() {
    guard ringGeneration != generation, let format else { return }
    _ = ring.pointee.append(.format, generation: generation, format: format)
    ringGeneration = generation
    if spans.last?.format != format {
      spans.append((ring.pointee.tail.load(ordering: .relaxed), format))
    }
  }

  private func restartSpans(_ format: CableFormat) {
    skipPosition = ring.pointee.tail.load(ordering: .relaxed)
    spans = [(skipPosition, format)]
  }

  private func confirmFlush() {
    guard flushIndex > 0 else { return }
    let confirmed = ring.pointee.confirmedSkip.load(ordering: .acquiring) >= flushIndex
    guard confirmed || (flushDeadline ?? 0) <= MonotonicClock.now else { return }
    guard confirmed else { return answerFlush() }
    let of = ring.pointee.flushedGeneration.load(ordering: .relaxed)
    let frames = ring.pointee.flushedFrames.load(ordering: .relaxed)
    sendFlushed(of, frames)
  }

  /// Answers a flush from the last report, without the audio thread.
  private func answerFlush() {
    let report = lastReport
    let frames = report.map { $0.frames > $0.delay ? $0.frames - $0.delay : 0 } ?? 0
    sendFlushed(report?.generation ?? 0, frames)
  }

  private func sendFlushed(_ of: UInt64, _ frames: UInt64) {
    flushIndex = 0
    flushDeadline = nil
    let known = of >> 32 == UInt64(serial)
    outgoing +=
      CableMessage.flushed(
        epoch: epoch, frames: known ? frames : 0, of: known ? UInt32(truncatingIfNeeded: of) : 0
      ).encoded
  }

  private func confirmDrained() {
    let drained = ring.pointee.drainedGeneration.load(ordering: .acquiring)
    guard drained != lastDrained, drained == generation, ended else { return }
    lastDrained = drained
    outgoing += CableMessage.drained(epoch: epoch).encoded
  }

  private func sendHeard() {
    guard let report = ring.pointee.report, report != lastReport,
      report.generation >= flushGeneration, report.generation >> 32 == UInt64(serial)
    else { return }
    lastReport = report
    // Without a frame of this epoch the report tells about the end of the sound before, such as its fade at a pause. It
    // may be as old as the pause, and the source would let its position run since then.
    guard heard, report.frames > 0, flushIndex == 0, outbox.isEmpty else { return }
    outgoing +=
      CableMessage.heard(
        epoch: UInt32(truncatingIfNeeded: report.generation), frames: report.frames,
        delay: UInt32(clamping: report.delay), time: report.time
      ).encoded
  }

  private func sendCredit() {
    guard heard, let format, !ended, outbox.isEmpty else { return }
    let whole = format.frames(inNanoseconds: ringTime)
    let target = received + UInt64(freeFrames(of: format, atMost: whole))
    guard target > limit else { return }
    let enough = target - limit >= UInt64(max(1, whole / 4))
    guard enough || limit == 0 || (limit == received && ring.pointee.occupied == 0) else { return }
    limit = target
    outgoing += CableMessage.credit(epoch: epoch, limit: limit, heard: true).encoded
  }

  /// Frames of `format` that the ring still takes so that it holds at most its time.
  private func freeFrames(of format: CableFormat, atMost whole: Int) -> Int {
    let head = ring.pointee.head.load(ordering: .acquiring)
    let tail = ring.pointee.tail.load(ordering: .relaxed)
    while spans.count > 1, spans[1].start <= head { spans.removeFirst() }
    let from = max(head, skipPosition)
    var waiting: Int64 = 0
    for (index, span) in spans.enumerated() {
      let end = index + 1 < spans.count ? spans[index + 1].start : tail
      let start = max(span.start, from)
      guard end > start else { continue }
      waiting += span.format.nanoseconds(ofFrames: Int(end - start) / span.format.frameBytes)
    }
    let room = (ring.pointee.capacity - Int(tail - head)) / format.frameBytes
    return max(0, min(whole - format.frames(inNanoseconds: waiting), room))
  }
}
