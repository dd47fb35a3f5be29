import Foundation
import Testing

@testable import ALSAAmplifier

/// Sine tones, and measurements of recorded samples.
enum Sine {
  /// Returns interleaved S16 frames with one frequency in Hz for each channel (0: silence).
  ///
  /// - Parameter level: The amplitude of the tones, full scale 1.
  static func frames(
    _ frequencies: [Double], level: Double = 0.5, rate: Int = 44100, seconds: Double = 1
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    let count = Int(seconds * Double(rate))
    bytes.reserveCapacity(count * frequencies.count * 2)
    for frame in 0..<count {
      for frequency in frequencies {
        let phase = 2 * Double.pi * frequency * Double(frame) / Double(rate)
        let value = Int16((sin(phase) * level * 32767).rounded())
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
      }
    }
    return bytes
  }

  /// Returns one channel of interleaved S16 frames, full scale ±1.
  static func channel(_ index: Int, of count: Int, in data: [UInt8]) -> [Double] {
    let frameBytes = count * 2
    return (0..<data.count / frameBytes).map { frame in
      let at = frame * frameBytes + index * 2
      let word = UInt16(data[at]) | UInt16(data[at + 1]) << 8
      return Double(Int16(bitPattern: word)) / 32768
    }
  }

  /// Returns a range of the recorded samples; fails the test if fewer were recorded.
  static func part(_ range: Range<Int>, of samples: [Double]) throws -> [Double] {
    try #require(samples.count >= range.upperBound, "too few samples were recorded")
    return Array(samples[range])
  }

  /// Returns the amplitude of one frequency (a single DFT bin), full scale 1.
  static func level(of frequency: Double, in samples: [Double], rate: Int) -> Double {
    let step = 2 * Double.pi * frequency / Double(rate)
    var sine = 0.0
    var cosine = 0.0
    for (index, sample) in samples.enumerated() {
      sine += sample * sin(step * Double(index))
      cosine += sample * cos(step * Double(index))
    }
    return 2 * (sine * sine + cosine * cosine).squareRoot() / Double(max(1, samples.count))
  }

  /// Returns the height of a step, full scale 1, that would click as loudly as the samples.
  ///
  /// That is the largest fourth difference of the samples, divided by 3, the largest fourth
  /// difference of a step of height 1. A tone of up to 500 Hz adds less than −100 dBFS to the
  /// result. Silence is assumed before and after the samples.
  static func click(in samples: [Double]) -> Double {
    var values = [0, 0, 0, 0] + samples + [0, 0, 0, 0]
    for _ in 0..<4 { values = zip(values.dropFirst(), values).map { $0 - $1 } }
    return (values.map(abs).max() ?? 0) / 3
  }
}
