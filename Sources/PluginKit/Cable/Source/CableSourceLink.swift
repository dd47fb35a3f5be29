import Glibc
import Platform

/// The source's side of one connection: the state of the protocol, and the bytes of the queue for
/// the frames of each epoch. Guarded by its core's monitor.
final class CableSourceLink {
  /// An epoch on the wire: its first frame is the byte `start` of the queue.
  struct Run {
    var epoch: UInt32
    var start: UInt64
    var format: CableFormat
    /// Began with `flush`: nothing older is heard after it.
    var flushed: Bool
  }

  let descriptor: Int32
  var inbox = CableInbox(largest: CableLimit.reply)
  var outbox = CableOutbox()
  var heard = false
  var runs: [Run] = []
  var limit: UInt64 = 0
  var endSent = false
  var lastProgress: Int64 = 0
  /// The epoch of an unanswered flush, and its deadline.
  var awaiting: (epoch: UInt32, deadline: Int64)?
  private(set) var epoch: UInt32 = 0

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The format that the sink knows.
  var format: CableFormat? { runs.last?.format }

  /// Sends a message without sound; false when the connection is gone.
  func send(_ message: CableMessage) -> Bool {
    outbox.send(message.encoded, to: descriptor)
  }

  /// Begins an epoch with `format`, or with `flush` when the sink knows the format.
  func begin(at start: UInt64, _ format: CableFormat, flush: Bool) -> Bool {
    epoch &+= 1
    limit = 0
    endSent = false
    runs.append(Run(epoch: epoch, start: start, format: format, flushed: flush))
    if runs.count > 32 { runs.removeFirst() }
    return send(flush ? .flush(epoch: epoch) : .format(epoch: epoch, format))
  }

  /// Whether the sink holds no sound: the present epoch began with a flush and nothing was sent since.
  ///
  /// - Parameter position: The next byte to send.
  func isFlushed(at position: UInt64) -> Bool {
    guard let run = runs.last else { return false }
    return run.flushed && run.start == position && !endSent
  }

  /// Moves the start of the present epoch, of which nothing was sent yet.
  func moveStart(to start: UInt64) {
    guard !runs.isEmpty else { return }
    runs[runs.count - 1].start = start
  }

  /// The byte of the queue after `frames` frames of `epoch` (negative: before it); `nil` for an
  /// epoch that is not known or older than the last flush, unless `flushed` asks for those.
  func byte(_ epoch: UInt32, _ frames: Int64, flushed: Bool = false) -> UInt64? {
    guard let index = runs.lastIndex(where: { $0.epoch == epoch }) else { return nil }
    if !flushed, runs[(index + 1)...].contains(where: \.flushed) { return nil }
    let run = runs[index]
    if frames >= 0 {
      let (bytes, overflow) = UInt64(frames).multipliedReportingOverflow(
        by: UInt64(run.format.frameBytes))
      return overflow || bytes > 1 << 60 ? nil : run.start + bytes
    }
    guard index > 0, !run.flushed else { return run.start }
    let before = runs[index - 1]
    let back = UInt64(clamping: min(-frames, 1 << 32)) * UInt64(before.format.frameBytes)
    return max(before.start, run.start > back ? run.start - back : 0)
  }

  // MARK: Sound

  /// Sends the sound at `queue.sent` as far as credit allows, in the epochs of its formats, and
  /// sends `end` after the last frame if no more follow (`ending`).
  ///
  /// - Returns: False when the connection is gone.
  func send(
    from queue: inout CableQueue, _ timeline: CableTimeline, ending: Bool, at now: Int64
  ) -> Bool {
    while outbox.isEmpty {
      let (section, end) = timeline.section(at: queue.sent, end: queue.written)
      guard queue.sent < queue.written else { return ending ? sendEnd(at: now) : true }
      guard let format = section.format else { return true }
      if self.format != format || endSent {
        lastProgress = now
        return begin(at: queue.sent, format, flush: false)
      }
      guard let run = runs.last, let count = sendable(run, at: queue.sent, end: end), count > 0
      else { return true }
      let bytes = queue.frames(of: format.frameBytes, at: queue.sent, atMost: count)
      let header = CableMessage.data(
        epoch: epoch, bytes: bytes.count,
        startsRecording: section.startsRecording && queue.sent == section.start
      ).encoded
      guard !bytes.isEmpty, outbox.send(header, bytes, to: descriptor) else { return false }
      queue.sent += UInt64(bytes.count)
      lastProgress = now
    }
    return true
  }

  /// The bytes from `position` to `end` for which there is credit; `nil` for none.
  private func sendable(_ run: Run, at position: UInt64, end: UInt64) -> Int? {
    let frame = run.format.frameBytes
    guard position >= run.start else { return nil }
    let sent = (position - run.start) / UInt64(frame)
    guard limit > sent else { return nil }
    let credit = Int(min(limit - sent, UInt64(CableLimit.payload / frame)))
    return min(credit * frame, Int(end - position))
  }

  private func sendEnd(at now: Int64) -> Bool {
    guard !endSent, format != nil else { return true }
    endSent = true
    lastProgress = now
    return send(.end(epoch: epoch))
  }

  /// Waits for the first credit, at most two seconds; returns whether the sink plays.
  func awaitCredit() throws(CableError) -> Bool {
    let clock = MonotonicClock()
    let deadline = clock.now + 2_000_000_000
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, clock.timeout(until: deadline)) != 0 else {
        throw CableError(.timeout, "The sink did not answer within 2 seconds.")
      }
      if let count = try inbox.receive(from: descriptor), count == 0 {
        throw CableError(.refused, "The sink closed the connection without a word.")
      }
      var first: CableMessage?
      guard try inbox.next({ message, _ in first = message }) else { continue }
      switch first {
      case .credit(epoch: 0, limit: _, let heard): return heard
      case .close(let reason): throw CableError(.refused, "The sink refused the cable: \(reason)")
      default: throw CableError(.violation, "The sink's first message must be credit.")
      }
    }
  }
}
