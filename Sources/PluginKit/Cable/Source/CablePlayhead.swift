/// The position of the heard byte of a source: the sink's last report, and an estimate since then.
struct CablePlayhead {
  /// The time after a report within which sound may count as heard that the device had not taken
  /// yet, ns.
  private static let longestEstimate: Int64 = 250_000_000

  /// The last byte known to have been heard.
  private(set) var byte: UInt64 = 0
  /// When it was heard, by the cable's clock, ns.
  private(set) var time: Int64
  /// The last byte that the device has taken.
  private var deviceByte: UInt64 = 0
  /// Whether the position moves between reports.
  private var isRunning = false

  init(at now: Int64) { time = now }

  /// Stops the position at `byte` until the next report.
  mutating func stop(at byte: UInt64, _ now: Int64) {
    self.byte = byte
    deviceByte = byte
    time = now
    isRunning = false
  }

  /// Records a report: at `time` `byte` was heard and the device had taken the sound up to `device`.
  mutating func recordReport(_ byte: UInt64, device: UInt64, at time: Int64) {
    deviceByte = max(deviceByte, device)
    self.byte = max(self.byte, byte)
    self.time = time
    isRunning = true
  }

  /// The byte that is heard at `now`. Sound in the device is certain to play; sound after it
  /// counts only within `longestEstimate` of the report.
  func estimate(at now: Int64, _ timeline: CableTimeline, sent: UInt64) -> UInt64 {
    guard isRunning else { return byte }
    let elapsed = max(0, now - time)
    return max(
      timeline.advance(byte, by: elapsed, end: max(deviceByte, byte)),
      timeline.advance(byte, by: min(elapsed, Self.longestEstimate), end: sent))
  }
}
