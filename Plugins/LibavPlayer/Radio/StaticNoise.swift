/// The noise of a radio between stations, about 34 dB below full scale.
struct StaticNoise {
  /// The format of the noise.
  static let format = PCMFormat(sample: .int16, rate: 48_000, channels: 2, speakers: 3)

  private let band: Band
  private var state: UInt64 = 0x2545_f491_4f6c_dd1d
  private var rumble: (left: Int32, right: Int32) = (0, 0)

  /// Creates the noise of a band: bright on FM, dull and crackling on AM.
  init(_ band: Band) { self.band = band }

  /// Fills `buffer` with whole frames of ``format``, about −34 dB below full scale.
  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    let samples = buffer.bindMemory(to: Int16.self)
    for frame in 0..<(samples.count / 2) {
      let random = next()
      let left = Int32(Int16(truncatingIfNeeded: random))
      let right = Int32(Int16(truncatingIfNeeded: random >> 16))
      switch band {
      case .fm:
        samples[2 * frame] = Int16(truncatingIfNeeded: left / 28)
        samples[2 * frame + 1] = Int16(truncatingIfNeeded: right / 28)
      case .am:
        // One pole at about 1 kHz; AM is mono.
        rumble.left += (left / 5 - rumble.left) / 8
        let crackle = random >> 50 == 0 ? Int32(4_000) : 0
        let sample = Int16(truncatingIfNeeded: rumble.left + crackle)
        samples[2 * frame] = sample
        samples[2 * frame + 1] = sample
      }
    }
  }

  /// Marsaglia's xorshift64*.
  private mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_f491_4f6c_dd1d
  }
}
