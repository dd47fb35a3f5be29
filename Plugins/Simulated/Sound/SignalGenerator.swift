import Glibc
import PluginKit

/// A generator of a signal's samples, block by block, from any frame on.
struct SignalGenerator {
  /// Frames in a block: about 40 ms, because fewer and larger messages cost less.
  static let blockFrames = 2048

  private let signal: Signal
  /// The next frame.
  private(set) var frame: Int
  private let end: Int
  /// The samples of one channel, four in each element.
  private var sums: [SIMD4<Double>]
  private var samples: [Int16]
  private var random: UInt64

  /// - Parameter position: Where to begin, in seconds.
  init(_ signal: Signal, from position: Double) {
    self.signal = signal
    let rate = Double(signal.format.rate)
    frame = Int((position * rate).rounded())
    end = signal.duration.map { Int(($0 * rate).rounded()) } ?? .max
    sums = Array(repeating: .zero, count: Self.blockFrames / 4)
    samples = Array(repeating: 0, count: Self.blockFrames * signal.format.channels)
    random = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: frame)
  }

  /// Calls `body` with the next block, interleaved 16-bit little-endian, and its frames.
  ///
  /// - Returns: What `body` returns; `nil` at the end of the signal.
  mutating func next<Result>(_ body: (UnsafeRawBufferPointer, Int) -> Result) -> Result? {
    let count = min(Self.blockFrames, end - frame)
    guard count > 0 else { return nil }
    for channel in signal.channels.indices { fill(channel) }
    frame += count
    return samples.withUnsafeBytes { bytes in
      body(
        UnsafeRawBufferPointer(rebasing: bytes[..<(count * signal.format.frameBytes)]), count)
    }
  }

  private mutating func fill(_ channel: Int) {
    for index in sums.indices { sums[index] = .zero }
    for partial in signal.channels[channel] { add(partial) }
    if signal.noise > 0 { addNoise() }
    let stride = signal.format.channels
    samples.withUnsafeMutableBufferPointer { samples in
      var next = channel
      for four in sums {
        let scaled = four * 32_767
        for sample in [scaled.x, scaled.y, scaled.z, scaled.w] {
          // Rounds by hand: a call for each sample would cost more than all the rest.
          let whole = Int32(sample + (sample < 0 ? -0.5 : 0.5))
          samples[next] = Int16(clamping: whole).littleEndian
          next += stride
        }
      }
    }
  }

  /// Adds a sine, computed by rotating a vector four samples at a time; its phase is exact at the start of each block.
  private mutating func add(_ partial: Signal.Partial) {
    let step = 2 * Double.pi * partial.frequency / Double(signal.format.rate)
    let cycles = partial.frequency / Double(signal.format.rate) * Double(frame)
    let phase = 2 * Double.pi * (cycles - cycles.rounded(.down))
    var (sines, cosines) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
    for lane in 0..<4 {
      sines[lane] = sin(phase + Double(lane) * step) * partial.amplitude
      cosines[lane] = cos(phase + Double(lane) * step) * partial.amplitude
    }
    let (turnSine, turnCosine) = (sin(4 * step), cos(4 * step))
    for index in sums.indices {
      sums[index] += sines
      (sines, cosines) = (
        sines * turnCosine + cosines * turnSine, cosines * turnCosine - sines * turnSine
      )
    }
  }

  private mutating func addNoise() {
    for index in sums.indices {
      sums[index] += signal.noise * SIMD4(noise(), noise(), noise(), noise())
    }
  }

  /// White noise from −1 to 1 (xorshift64, Marsaglia 2003).
  private mutating func noise() -> Double {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return Double(Int64(truncatingIfNeeded: random)) / Double(Int64.max)
  }
}
