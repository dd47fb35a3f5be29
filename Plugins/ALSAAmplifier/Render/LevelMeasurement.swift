/// Peak and power of each channel since the last reading. Used on the audio thread only.
struct LevelMeasurement {
  /// The most channels that are measured.
  static let channelLimit = 8

  private var peaks = SIMD8<Float>.zero
  private var powers = SIMD8<Float>.zero
  private var frames = 0

  /// Measures `frames` interleaved frames of `channels` (1–8) channels.
  mutating func add(_ samples: UnsafePointer<Float>, frames count: Int, channels: Int) {
    for channel in 0..<min(channels, Self.channelLimit) {
      var peak: Float = 0
      var power: Float = 0
      var at = channel
      for _ in 0..<count {
        let value = samples[at]
        peak = max(peak, abs(value))
        power += value * value
        at += channels
      }
      peaks[channel] = max(peaks[channel], peak)
      powers[channel] += power
    }
    frames += count
  }

  /// Returns peak and root mean square of each channel, full scale 1, and starts again.
  mutating func read() -> (peak: SIMD8<Float>, rms: SIMD8<Float>) {
    defer { self = LevelMeasurement() }
    guard frames > 0 else { return (.zero, .zero) }
    let mean = powers / Float(frames)
    var rms = SIMD8<Float>.zero
    for channel in 0..<Self.channelLimit { rms[channel] = mean[channel].squareRoot() }
    return (peaks, rms)
  }
}
