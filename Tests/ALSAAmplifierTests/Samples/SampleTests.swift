import Foundation
import Testing

@testable import ALSAAmplifier

@Suite struct SampleTests {
  /// Writes `values` as `format` and reads them back.
  private func roundTrip(_ values: [Float], _ format: SampleFormat) -> [Float] {
    var bytes = [UInt8](repeating: 0xEE, count: values.count * format.bytes)
    var back = [Float](repeating: 9, count: values.count)
    var writer = SampleWriter()
    bytes.withUnsafeMutableBytes { raw in
      guard let base = raw.baseAddress else { return }
      values.withUnsafeBufferPointer { floats in
        guard let from = floats.baseAddress else { return }
        writer.write(from, count: values.count, as: format, dithered: false, to: base)
      }
      back.withUnsafeMutableBufferPointer { floats in
        guard let to = floats.baseAddress else { return }
        SampleReader.read(base, as: format, count: values.count, into: to)
      }
    }
    return back
  }

  @Test(
    "F4 · samples survive writing and reading in every format", arguments: SampleFormat.allCases)
  func survives(_ format: SampleFormat) {
    let values: [Float] = [0, 0.5, -0.5, 0.25, -1, 0.75, -0.125, 0.0625, 0.03125, -0.015625, 0.5]
    #expect(roundTrip(values, format) == values)
  }

  @Test(
    "F4 · clips samples beyond full scale, and never wraps them",
    arguments: [
      SampleFormat.s16, .s24packed, .s24, .s32,
    ])
  func clamps(_ format: SampleFormat) {
    let back = roundTrip([1.5, -1.5, 1, 100, -100], format)
    for (value, sign) in zip(back, [1, -1, 1, 1, -1] as [Float]) {
      #expect(abs(value - sign) < 0.0001)
    }
  }

  @Test("F4 · turns NaN samples into silence")
  func notANumber() {
    let back = roundTrip([.nan, .infinity, -.infinity, 0.5], .float)
    #expect(back == [0, 0, 0, 0.5])
  }

  @Test("E15 · dither is a triangle of ±1 step without an offset")
  func dither() {
    var dither = Dither()
    var sum = 0.0
    var power = 0.0
    var inner = 0
    let count = 80_000
    for _ in 0..<count / 8 {
      let values = dither.next()
      for lane in 0..<8 {
        let value = Double(values[lane])
        #expect(abs(value) <= 1)
        sum += value
        power += value * value
        if abs(value) < 0.5 { inner += 1 }
      }
    }
    #expect(abs(sum / Double(count)) < 0.01)
    // The variance of a triangle on ±1 is 1/6, and three quarters lie in its inner half.
    #expect(abs(power / Double(count) - 1 / 6) < 0.005)
    #expect(abs(Double(inner) / Double(count) - 0.75) < 0.01)
  }

  @Test("E15 · with dither a tone below one step is still there")
  func belowOneStep() {
    let count = 44100
    let tone = (0..<count).map {
      Float(sin(2 * Double.pi * 440 * Double($0) / 44100)) * 0.4 / 32768
    }
    func level(dithered: Bool) -> Double {
      var bytes = [UInt8](repeating: 0, count: count * 2)
      var writer = SampleWriter()
      bytes.withUnsafeMutableBytes { raw in
        tone.withUnsafeBufferPointer { floats in
          guard let to = raw.baseAddress, let from = floats.baseAddress else { return }
          writer.write(from, count: count, as: .s16, dithered: dithered, to: to)
        }
      }
      return Sine.level(of: 440, in: Sine.channel(0, of: 1, in: bytes), rate: 44100) * 32768
    }
    #expect(level(dithered: false) == 0)
    #expect(abs(level(dithered: true) - 0.4) < 0.03)
  }
}
