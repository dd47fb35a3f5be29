/// Which frames of a connection's sound were played, computed from the reports of the audio thread.
struct CablePlayback {
  private let serial: UInt32
  /// The generation that began with the last flush; reports of older ones are ignored.
  private var oldest: UInt64
  private var last: CableReport?
  private var drained: UInt64 = 0

  init(serial: UInt32) {
    self.serial = serial
    oldest = UInt64(serial) << 32
  }

  /// The generation of an epoch of this connection, as in `CableMarker`.
  func generation(of epoch: UInt32) -> UInt64 { UInt64(serial) << 32 | UInt64(epoch) }

  /// Ignores reports from before a flush that begins a generation.
  mutating func flush(_ generation: UInt64) { oldest = generation }

  /// Adopts the audio thread's report, and returns it if it is a new one of this connection.
  mutating func adopt(_ report: CableReport?) -> CableReport? {
    guard let report, report != last, report.generation >= oldest, isOwn(report.generation)
    else { return nil }
    last = report
    return report
  }

  /// Adopts the generation that the audio thread has drained; true if it is the given one, and news.
  mutating func adopt(drained: UInt64, of generation: UInt64) -> Bool {
    guard drained != self.drained, drained == generation else { return false }
    self.drained = drained
    return true
  }

  /// Builds the answer to the flush that began `epoch`, when the last frames heard were `frames` of a
  /// generation; of another connection's nothing was heard.
  func flushed(epoch: UInt32, frames: UInt64, of generation: UInt64) -> CableMessage {
    isOwn(generation)
      ? .flushed(epoch: epoch, frames: frames, of: UInt32(truncatingIfNeeded: generation))
      : .flushed(epoch: epoch, frames: 0, of: 0)
  }

  /// Builds the answer to a flush from the last report, without the audio thread.
  func flushed(epoch: UInt32) -> CableMessage {
    let frames = last.map { $0.frames > $0.delay ? $0.frames - $0.delay : 0 } ?? 0
    return flushed(epoch: epoch, frames: frames, of: last?.generation ?? 0)
  }

  private func isOwn(_ generation: UInt64) -> Bool { generation >> 32 == UInt64(serial) }
}
