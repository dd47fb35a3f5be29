import Glibc

/// Rendered device frames: those that the device was given, for as long as it may give them back, and
/// behind them those that it has still to get.
///
/// A ring in memory of its own; `release` gives it back. The audio thread owns it.
struct FrameQueue {
  /// Frames it has room for.
  let capacity: Int
  private let frameBytes: Int
  private let storage: UnsafeMutableRawPointer
  /// Positions count frames since the start and never wrap.
  private var written = 0
  private var end = 0
  /// Frames that the device was given and that are still here.
  private(set) var kept = 0

  /// A queue for `capacity` frames of `frameBytes` bytes.
  init(capacity: Int, frameBytes: Int) {
    self.capacity = capacity
    self.frameBytes = frameBytes
    storage = .allocate(byteCount: capacity * frameBytes, alignment: 64)
  }

  /// Gives back its memory.
  func release() { storage.deallocate() }

  /// Frames that the device has still to get.
  var pending: Int { end - written }

  /// Appends frames, as many as there is room for beside the pending ones.
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

  /// The pending frames from the `offset`th on that lie in one piece, at most `frames`.
  func piece(from offset: Int = 0, atMost frames: Int) -> (UnsafeMutableRawPointer, frames: Int) {
    let at = (written + offset) % capacity
    let count = max(0, min(frames, pending - offset, capacity - at))
    return (storage + at * frameBytes, count)
  }

  /// Marks the first `frames` pending frames as given to the device.
  mutating func consume(_ frames: Int) {
    written += frames
    kept = min(kept + frames, capacity - pending)
  }

  /// Makes the last `frames` frames that the device was given pending again; answers how many were
  /// still here.
  mutating func takeBack(_ frames: Int) -> Int {
    let count = max(0, min(frames, kept))
    written -= count
    kept -= count
    return count
  }

  /// Forgets the pending frames behind the first `frames`; answers how many those were.
  mutating func truncate(to frames: Int) -> Int {
    let dropped = max(0, pending - frames)
    end -= dropped
    return dropped
  }

  /// Forgets the frames that the device was given.
  mutating func forgetWritten() { kept = 0 }
}
