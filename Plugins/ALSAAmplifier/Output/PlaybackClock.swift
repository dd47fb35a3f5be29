/// The position of an output by the monotonic clock; for a device, the position that time allows. Each `now` is in
/// monotonic ns. Plain numbers only, so that the audio thread copies it without counting references.
struct PlaybackClock {
  /// Frames a second.
  var rate = 48000
  private var start: Int64 = 0
  private(set) var written = 0

  /// Counts `frames` as written; the first ones start the clock.
  mutating func write(_ frames: Int, at now: Int64) {
    if written == 0 { start = now }
    // If the output has run dry, the silent time since then does not count: the new frames begin to play now.
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

  /// Returns the time since the first write, in frames at ``rate``. It exceeds ``written`` once the output has run dry.
  func playedFrames(at now: Int64) -> Int {
    written == 0 ? 0 : Int((now - start) / 1000 * Int64(rate) / 1_000_000)
  }

  /// Returns the number of frames that are not heard yet.
  func unheardFrames(at now: Int64) -> Int { max(0, written - playedFrames(at: now)) }

  /// Starts again with the next write.
  mutating func reset() { written = 0 }
}
