import Glibc

/// One connection as the source sees it: what was said on the wire, and which bytes of the queue
/// the frames of each epoch are. Guarded by its core's monitor.
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
  /// The epoch of a flush that is not answered, and until when to wait.
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
}
