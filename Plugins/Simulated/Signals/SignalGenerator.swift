import Glibc
import PluginKit

/// Makes the samples of a signal, block by block, from any frame on.
struct SignalGenerator {
  /// Frames in a block: about 40 ms, because fewer and larger messages cost less.
  static let blockFrames = 2048

  private let signal: Signal
  /// The frame that comes next.
  private(set) var frame: Int
  private let end: Int
  private var sums: [Double]
  private var samples: [Int16]
  private var random: UInt64

  /// - Parameter position: Where to begin, in seconds.
  init(_ signal: Signal, from position: Double) {
    self.signal = signal
    let rate = Double(signal.format.rate)
    frame = Int((position * rate).rounded())
    end = signal.duration.map { Int(($0 * rate).rounded()) } ?? .max
    sums = Array(repeating: 0, count: Self.blockFrames)
    samples = Array(repeating: 0, count: Self.blockFrames * signal.format.channels)
    random = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: frame)
  }

  /// Calls `body` with the next block, interleaved 16-bit little-endian, and its frames.
  ///
  /// - Returns: What `body` returns; `nil` at the end of the signal.
  mutating func next<Result>(_ body: (UnsafeRawBufferPointer, Int) -> Result) -> Result? {
    let count = min(Self.blockFrames, end - frame)
    guard count > 0 else { return nil }
    for channel in signal.channels.indices { fill(channel, count) }
    frame += count
    return samples.withUnsafeBytes { bytes in
      body(
        UnsafeRawBufferPointer(rebasing: bytes[..<(count * signal.format.frameBytes)]), count)
    }
  }

  private mutating func fill(_ channel: Int, _ count: Int) {
    for index in 0..<count { sums[index] = 0 }
    for partial in signal.channels[channel] { add(partial, count) }
    let stride = signal.format.channels
    for index in 0..<count {
      let value = sums[index] + (signal.noise > 0 ? signal.noise * noise() : 0)
      let scaled = (value * 32_767).clamped(to: -32_768...32_767)
      // Rounds by hand: a call for each sample would cost more than all the rest.
      samples[index * stride + channel] = Int16(scaled + (scaled < 0 ? -0.5 : 0.5)).littleEndian
    }
  }

  /// A sine by rotation: exact at the beginning of each block, two products a sample after it.
  private mutating func add(_ partial: Signal.Partial, _ count: Int) {
    let step = 2 * Double.pi * partial.frequency / Double(signal.format.rate)
    let cycles = partial.frequency / Double(signal.format.rate) * Double(frame)
    let phase = 2 * Double.pi * (cycles - cycles.rounded(.down))
    var (sine, cosine) = (sin(phase) * partial.amplitude, cos(phase) * partial.amplitude)
    let (turnSine, turnCosine) = (sin(step), cos(step))
    for index in 0..<count {
      sums[index] += sine
      (sine, cosine) = (
        sine * turnCosine + cosine * turnSine, cosine * turnCosine - sine * turnSine
      )
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

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
