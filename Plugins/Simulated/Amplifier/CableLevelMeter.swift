import Glibc
import PluginKit

/// Measures how loud each channel of a cable is.
struct CableLevelMeter: Sendable {
  /// What was heard since the last look.
  struct Levels: Sendable, Hashable {
    let format: CableFormat
    /// Of each channel, of full scale.
    let peak: [Double]
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

  /// Whether nothing was heard since the last look.
  var isEmpty: Bool { frames == 0 }

  /// Takes whole frames of the format.
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
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

  /// What was heard since the last call; `nil` when nothing was.
  mutating func levels() -> Levels? {
    guard frames > 0 else { return nil }
    let count = Double(frames)
    defer { self = CableLevelMeter(format) }
    return Levels(format: format, peak: peaks, rms: squares.map { ($0 / count).squareRoot() })
  }

  /// The sample at an offset, from −1 to 1.
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
  /// A level in dB relative to full scale, to a tenth, at least −120.
  static func decibels(_ level: Double) -> Double {
    level > 1e-6 ? (20 * log10(level) * 10).rounded() / 10 : -120
  }
}
