/// A gain that moves to its target in small equal steps, so that no change clicks.
///
/// Plain numbers only: the audio thread owns it.
struct GainRamp {
  /// The gain of the next frame.
  private(set) var current: Float
  /// Where it is going.
  private(set) var target: Float
  private var step: Float = 0
  private var framesLeft = 0

  /// A ramp that rests at `gain`.
  init(_ gain: Float) {
    current = gain
    target = gain
  }

  /// True when the gain does not move.
  var isSteady: Bool { framesLeft == 0 }

  /// Starts towards `target`, to be reached after `frames` frames (0: at once).
  mutating func move(to target: Float, over frames: Int) {
    self.target = target
    guard frames > 0, target != current else {
      current = target
      framesLeft = 0
      return
    }
    framesLeft = frames
    step = (target - current) / Float(frames)
  }

  /// Multiplies `frames` interleaved frames in place.
  mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
    var frame = 0
    while framesLeft > 0, frame < frames {
      current += step
      framesLeft -= 1
      if framesLeft == 0 { current = target }
      let base = samples + frame * channels
      for channel in 0..<channels { base[channel] *= current }
      frame += 1
    }
    guard frame < frames, current != 1 else { return }
    let gain = current
    for index in frame * channels..<frames * channels { samples[index] *= gain }
  }
}
