import Glibc
import PluginKit

/// A meter of the level of each channel of a cable.
struct CableLevelMeter: Sendable {
  /// The levels since the last reading.
  struct Levels: Sendable, Hashable {
    let format: CableFormat
    /// The highest absolute value of each channel's samples, full scale 1.
    let peak: [Double]
    /// The root mean square of each channel, full scale 1.
    let rms: [Double]
  }

  private let format: CableFormat
  private var peaks: [Double]
  private var squares: [Double]
  private var frames = 0

  init(_ format: CableFormat) {
    self.format = format
    peaks = Array(repeating: 0, count: format.channels)
    squares = peaks
  }

  /// Whether nothing was measured since the last reading.
  var isEmpty: Bool { frames == 0 }

  /// Measures whole frames of the format.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let width = format.sample.bytes
    let count = bytes.count / format.frameBytes
    for frame in 0..<count {
      for channel in 0..<format.channels {
        let value = sample(bytes, at: (frame * format.channels + channel) * width)
        peaks[channel] = max(peaks[channel], abs(value))
        squares[channel] += value * value
      }
    }
    frames += count
  }

  /// Returns the levels since the last call; `nil` without sound.
  mutating func levels() -> Levels? {
    guard frames > 0 else { return nil }
    let count = Double(frames)
    defer { self = CableLevelMeter(format) }
    return Levels(format: format, peak: peaks, rms: squares.map { ($0 / count).squareRoot() })
  }

  /// Returns the sample at an offset in bytes, from −1 to 1.
  private func sample(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Double {
    switch format.sample {
    case .s16:
      let value = bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)
      return Double(Int16(littleEndian: value)) / 32_768
    case .s24in32:
      let value = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
      return Double(Int32(littleEndian: value)) / 8_388_608
    case .s32:
      let value = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
      return Double(Int32(littleEndian: value)) / 2_147_483_648
    case .f32:
      let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let sample = Double(Float(bitPattern: UInt32(littleEndian: value)))
      return sample.isFinite ? sample : 0
    }
  }
}

extension CableLevelMeter.Levels {
  /// Returns a level in dBFS, rounded to a tenth, at least −120.
  static func decibels(_ level: Double) -> Double {
    level > 1e-6 ? (20 * log10(level) * 10).rounded() / 10 : -120
  }
}
