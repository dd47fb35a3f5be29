import Glibc
import Platform
import Synchronization

/// The sink's side of one connection, used on the I/O thread: moves messages between the socket and
/// the parts that decide, and sound into the ring.
final class CableSinkConnection {
  /// A flush that the audio thread has not confirmed yet.
  private struct PendingFlush {
    /// The value of the ring's `confirmedSkip` that confirms it.
    let index: Int
    /// The time from which it is answered without a confirmation.
    let deadline: Int64
  }

  let descriptor: Int32

  private let ring: UnsafeMutablePointer<CableRing>
  private let ringTime: Int64
  /// The time in which the audio thread must confirm a flush, ns.
  private let confirmationTime: Int64
  private var heard: Bool
  private var inbox = CableInbox(largest: CableLimit.payload)
  private var outbox = CableOutbox()
  private var outgoing: [UInt8] = []
  /// The queue of markers is full, so nothing is read until the audio thread takes one.
  private var blocked = false
  private var epoch = CableEpoch()
  private var writer: CableRingWriter
  private var playback: CablePlayback
  private var pendingFlush: PendingFlush?

  init(
    descriptor: Int32, serial: UInt32, ring: UnsafeMutablePointer<CableRing>, ringTime: Int64,
    confirmationTime: Int64, heard: Bool
  ) {
    self.descriptor = descriptor
    self.ring = ring
    self.ringTime = ringTime
    self.confirmationTime = confirmationTime
    self.heard = heard
    writer = CableRingWriter(ring)
    playback = CablePlayback(serial: serial)
    enqueueCredit()
  }

  /// The events of `poll` to wait for.
  var poll: pollfd {
    // A blocked connection is not polled at all: a hang-up would be reported again and again.
    pollfd(
      fd: blocked ? -1 : descriptor, events: Int16(outbox.isEmpty ? POLLIN : POLLIN | POLLOUT),
      revents: 0)
  }

  /// The time by which `sendProgress` must be called again.
  var deadline: Int64? {
    blocked || writer.owesSilence ? MonotonicClock.now + 10_000_000 : pendingFlush?.deadline
  }

  /// Reads and handles the messages that have arrived.
  func receive() throws(CableError) {
    guard let count = try inbox.receive(from: descriptor) else { return }
    guard count > 0 else { throw CableError(.closed, "The source closed the cable.") }
    try parse()
  }

  /// Sends confirmations, reports and credit for the audio thread's progress.
  func sendProgress() throws(CableError) {
    if writer.owesSilence { dropSound() }
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
    enqueueCredit()
  }

  /// Empties the ring, sends the reason and closes.
  func close(_ error: CableError) {
    dropSound()
    enqueue(.close(reason: error.message))
    _ = outbox.send(outgoing, to: descriptor)
    Glibc.close(descriptor)
  }

  private static var gone: CableError { CableError(.closed, "The source went away.") }

  // MARK: From the source

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
    case .format(let number, let format):
      try epoch.begin(number, format)
      if heard { writer.announce(format, generation: generation) }
    case .data(let number, _, let startsRecording):
      let format = try epoch.accept(payload.count, of: number)
      guard heard else { return }
      guard
        writer.write(
          payload, format, generation: generation, startsRecording: startsRecording)
      else { throw CableError(.violation, "More sound came than the ring holds.") }
    case .flush(let number):
      try flush(epoch.flush(number))
    case .end(let number):
      let format = try epoch.end(number)
      if heard { writer.end(format, generation: generation) }
    case .close(let reason):
      throw CableError(.closed, "The source closed the cable: \(reason)")
    case .hello, .credit, .heard, .flushed, .drained:
      throw CableError(.violation, "A source does not send such a message here.")
    }
  }

  private func flush(_ format: CableFormat) {
    guard heard else { return answerFlush(playback.flushed(epoch: epoch.number)) }
    if let index = writer.flush(format, generation: generation) {
      pendingFlush = PendingFlush(
        index: index, deadline: MonotonicClock.now + confirmationTime)
    }
    playback.flush(generation)
  }

  private var generation: UInt64 { playback.generation(of: epoch.number) }

  // MARK: To the source

  private func enqueue(_ message: CableMessage) { outgoing += message.encoded }

  private func enqueueCredit() {
    enqueue(.credit(epoch: epoch.number, limit: epoch.credit.limit, heard: heard))
  }

  /// Drops the content of the ring and answers a waiting flush.
  private func dropSound() {
    writer.dropSound(epoch.format)
    if pendingFlush != nil { answerFlush(playback.flushed(epoch: epoch.number)) }
  }

  private func answerFlush(_ answer: CableMessage) {
    pendingFlush = nil
    enqueue(answer)
  }

  private func confirmFlush() {
    guard let pendingFlush else { return }
    if ring.pointee.confirmedSkip.load(ordering: .acquiring) >= pendingFlush.index {
      answerFlush(
        playback.flushed(
          epoch: epoch.number, frames: ring.pointee.flushedFrames.load(ordering: .relaxed),
          of: ring.pointee.flushedGeneration.load(ordering: .relaxed)))
    } else if pendingFlush.deadline <= MonotonicClock.now {
      answerFlush(playback.flushed(epoch: epoch.number))
    }
  }

  private func confirmDrained() {
    let drained = ring.pointee.drainedGeneration.load(ordering: .acquiring)
    guard epoch.hasEnded, playback.adopt(drained: drained, of: generation) else { return }
    enqueue(.drained(epoch: epoch.number))
  }

  private func sendHeard() {
    guard let report = playback.adopt(ring.pointee.report) else { return }
    // Without a frame of this epoch the report tells about the end of the sound before, such as its
    // fade at a pause. It may be as old as the pause, and the source would let its position run since
    // then.
    guard heard, report.frames > 0, pendingFlush == nil, outbox.isEmpty else { return }
    enqueue(
      .heard(
        epoch: UInt32(truncatingIfNeeded: report.generation), frames: report.frames,
        delay: UInt32(clamping: report.delay), time: report.time))
  }

  private func sendCredit() {
    guard heard, let format = epoch.format, !epoch.hasEnded, outbox.isEmpty else { return }
    let whole = format.frames(inNanoseconds: ringTime)
    let free = writer.freeFrames(of: format, atMost: whole)
    let isRingEmpty = ring.pointee.occupied == 0
    if epoch.credit.extend(by: free, of: whole, isRingEmpty: isRingEmpty) { enqueueCredit() }
  }
}
