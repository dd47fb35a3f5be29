import Glibc

/// A ring of rendered device frames: the written ones, while the device may give them back, and behind
/// them the pending ones.
///
/// Its memory is freed by ``release()``. Used on the audio thread only.
struct FrameQueue {
  /// The most frames that it holds.
  let capacity: Int
  private let frameBytes: Int
  private let storage: UnsafeMutableRawPointer
  /// Positions count frames since the start and never wrap.
  private var written = 0
  private var end = 0
  /// Written frames that are still kept.
  private(set) var kept = 0

  /// Creates a queue for `capacity` frames of `frameBytes` bytes.
  init(capacity: Int, frameBytes: Int) {
    self.capacity = capacity
    self.frameBytes = frameBytes
    storage = .allocate(byteCount: capacity * frameBytes, alignment: 64)
  }

  /// Frees its memory.
  func release() { storage.deallocate() }

  /// Frames that are not written yet.
  var pending: Int { end - written }

  /// Appends as many frames as there is room for beside the pending ones.
  mutating func append(_ bytes: UnsafeRawPointer, frames: Int) {
    var source = bytes
    var left = min(frames, capacity - pending)
    while left > 0 {
      let at = end % capacity
      let count = min(left, capacity - at)
      (storage + at * frameBytes).copyMemory(from: source, byteCount: count * frameBytes)
      source += count * frameBytes
      end += count
      left -= count
    }
    kept = min(kept, capacity - pending)
  }

  /// Returns the contiguous pending frames from the `offset`th on, at most `frames`.
  func pendingFrames(from offset: Int = 0, atMost frames: Int) -> (
    UnsafeMutableRawPointer, frames: Int
  ) {
    let at = (written + offset) % capacity
    let count = max(0, min(frames, pending - offset, capacity - at))
    return (storage + at * frameBytes, count)
  }

  /// Marks the first `frames` pending frames as written.
  mutating func consume(_ frames: Int) {
    written += frames
    kept = min(kept + frames, capacity - pending)
  }

  /// Makes the last `frames` written frames pending again; returns how many of them were still kept.
  mutating func rewind(_ frames: Int) -> Int {
    let count = max(0, min(frames, kept))
    written -= count
    kept -= count
    return count
  }

  /// Forgets the pending frames behind the first `frames`; returns how many those were.
  mutating func truncate(to frames: Int) -> Int {
    let dropped = max(0, pending - frames)
    end -= dropped
    return dropped
  }

  /// Forgets the written frames.
  mutating func forgetWritten() { kept = 0 }
}
