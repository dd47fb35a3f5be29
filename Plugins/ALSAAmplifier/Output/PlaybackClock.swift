/// The position of an output that plays by the monotonic clock. Plain numbers only.
struct PlaybackClock {
  /// Frames a second.
  var rate = 48000
  private var start: Int64 = 0
  private(set) var written = 0

  /// Counts `frames` as written; the first ones start the clock.
  mutating func write(_ frames: Int, at now: Int64) {
    if written == 0 { start = now }
    // If all frames had played before, the output was silent since: the elapsed time resumes here.
    let behind = playedFrames(at: now) - written
    if behind > 0 { start += Int64(behind) * 1_000_000_000 / Int64(rate) }
    written += frames
  }

  /// Takes back at most `frames` of the frames that are not heard yet; returns how many.
  mutating func rewind(_ frames: Int, at now: Int64) -> Int {
    rewind(min(frames, unheardFrames(at: now)))
  }

  /// Counts at most `frames` written frames as not written; returns how many.
  mutating func rewind(_ frames: Int) -> Int {
    let count = max(0, min(frames, written))
    written -= count
    return count
  }

  /// Returns the number of frames that have played since the first was written.
  func playedFrames(at now: Int64) -> Int {
    written == 0 ? 0 : Int((now - start) / 1000 * Int64(rate) / 1_000_000)
  }

  /// Returns the number of frames that are not heard yet.
  func unheardFrames(at now: Int64) -> Int { max(0, written - playedFrames(at: now)) }

  /// Starts again with the next write.
  mutating func reset() { written = 0 }
}
