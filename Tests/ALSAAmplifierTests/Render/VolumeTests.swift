import Devices
import Testing

@testable import ALSAAmplifier

@Suite struct VolumeTests {
  @Test("E15 · converts the volume curve to dB and back without loss")
  func decibels() {
    #expect(VolumeCurve.millibels(100) == 0)
    #expect(VolumeCurve.millibels(50) == -1806)
    #expect(VolumeCurve.millibels(0) == nil)
    for volume in 1...100 {
      #expect(VolumeCurve.volume(millibels: VolumeCurve.millibels(volume) ?? 1) == volume)
    }
  }

  @Test("E15 · a ramp moves in small steps, without a corner, and arrives exactly")
  func ramp() {
    var ramp = GainRamp(0)
    ramp.move(to: 0.5, over: 100)
    var samples = [Float](repeating: 1, count: 300)
    samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      // In two goes, as chunks come.
      ramp.apply(to: base, frames: 30, channels: 2)
      ramp.apply(to: base + 60, frames: 120, channels: 2)
    }
    #expect(ramp.isSteady)
    #expect(ramp.current == 0.5)
    for frame in 1..<150 {
      let step = samples[frame * 2] - samples[frame * 2 - 2]
      #expect(step >= 0 && step < 0.0076)
      #expect(samples[frame * 2] == samples[frame * 2 + 1])
    }
    #expect(samples[298] == 0.5)
  }

  @Test("E15 · a new target starts at the ramp's current value")
  func redirected() {
    var ramp = GainRamp(1)
    ramp.move(to: 0, over: 10)
    var samples = [Float](repeating: 1, count: 5)
    samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      ramp.apply(to: base, frames: 5, channels: 1)
    }
    #expect(abs(ramp.current - 0.5) < 1e-6)
    ramp.move(to: 1, over: 5)
    #expect(abs(ramp.current - 0.5) < 1e-6)
  }
}
