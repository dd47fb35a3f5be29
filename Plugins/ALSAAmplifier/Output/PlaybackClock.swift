/// Plays frames by the monotonic clock, for outputs that do not pace by themselves. Plain numbers.
struct PlaybackClock {
  /// Frames a second.
  var rate = 48000
  private var start: Int64 = 0
  private(set) var written = 0

  /// Counts `frames` as handed over; the first ones start the clock.
  mutating func write(_ frames: Int, at now: Int64) {
    if written == 0 { start = now }
    // A pause of the writer is silence, not debt: time never runs ahead of what was written.
    let behind = elapsed(at: now) - written
    if behind > 0 { start += Int64(behind) * 1_000_000_000 / Int64(rate) }
    written += frames
  }

  /// Takes back at most `frames` of the frames that are still to be heard; answers how many.
  mutating func takeBack(_ frames: Int, at now: Int64) -> Int {
    takeBack(min(frames, queued(at: now)))
  }

  /// Counts `frames` frames as not handed over.
  mutating func takeBack(_ frames: Int) -> Int {
    let count = max(0, min(frames, written))
    written -= count
    return count
  }

  /// Frames that have passed since the first was written.
  func elapsed(at now: Int64) -> Int {
    written == 0 ? 0 : Int((now - start) / 1000 * Int64(rate) / 1_000_000)
  }

  /// Frames that are still to be heard.
  func queued(at now: Int64) -> Int { max(0, written - elapsed(at: now)) }

  /// Starts anew with the next write.
  mutating func reset() { written = 0 }
}
