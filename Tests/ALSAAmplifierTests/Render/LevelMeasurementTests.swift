import Testing

@testable import ALSAAmplifier

@Suite struct LevelMeasurementTests {
  @Test("F4 · the meter gives peak and RMS of each channel since it was last read")
  func levels() {
    var meter = LevelMeasurement()
    let frames: [Float] = [0.5, -0.1, -0.5, 0.1, 0.5, -0.1, -0.5, 0.1]
    frames.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      meter.add(base, frames: 2, channels: 2)
      meter.add(base + 4, frames: 2, channels: 2)
    }
    let (peak, rms) = meter.read()
    #expect(peak[0] == 0.5 && abs(rms[0] - 0.5) < 1e-6)
    #expect(abs(peak[1] - 0.1) < 1e-6 && abs(rms[1] - 0.1) < 1e-6)
    #expect(peak[2] == 0)
    #expect(meter.read().peak == .zero)
  }
}
