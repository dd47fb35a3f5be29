/// The heard byte of a source: the sink's last report, and an estimate from then on.
struct CablePlayhead {
  /// How far beyond the device's sound a position may be estimated without a report, ns.
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

  /// Stands at `byte` until the next report.
  mutating func rest(at byte: UInt64, _ now: Int64) {
    self.byte = byte
    deviceByte = byte
    time = now
    isRunning = false
  }

  /// Takes a report: at `time` `byte` was heard and the device had taken the sound up to `device`.
  mutating func report(_ byte: UInt64, device: UInt64, at time: Int64) {
    deviceByte = max(deviceByte, device)
    self.byte = max(self.byte, byte)
    self.time = time
    isRunning = true
  }

  /// The byte that is heard at `now`. Sound in the device is certain to play; sound behind it
  /// counts for `longestEstimate` only.
  func estimate(at now: Int64, _ timeline: CableTimeline, sent: UInt64) -> UInt64 {
    guard isRunning else { return byte }
    let elapsed = max(0, now - time)
    return max(
      timeline.advance(byte, by: elapsed, end: max(deviceByte, byte)),
      timeline.advance(byte, by: min(elapsed, Self.longestEstimate), end: sent))
  }
}
