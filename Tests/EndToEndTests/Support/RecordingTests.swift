import Foundation
import TestSupport
import Testing

@Suite("Recordings of the tests")
struct RecordingTests {
  @Test("A file that so far ends with the name of its data chunk is an empty recording")
  func unfinishedHeader() throws {
    let folder = try TemporaryFolder()
    var header = [UInt8](repeating: 0, count: 44)
    header[22] = 2  // channels
    header[34] = 16  // bits of a sample
    let path = try folder.write("unfinished.wav", header + Array("data".utf8))
    let recording = try #require(Recording(URL(fileURLWithPath: path)))
    #expect(recording.channels == [[], []])
  }

  @Test("Where a tone begins anew with another phase, its parts keep their amplitude")
  func seam() {
    let rate = 44100.0
    func tone(_ frame: Int, phase: Double) -> Double {
      0.5 * sin(2 * .pi * 440 * Double(frame) / rate + phase)
    }
    let frames = (0..<Int(rate)).map { tone($0, phase: $0 < Int(rate) / 4 ? 0 : .pi / 2) }
    let data = frames.reduce(into: Data()) { data, value in
      let sample = UInt16(bitPattern: Int16(value * 32767))
      for _ in 0..<2 { data += [UInt8(sample & 0xFF), UInt8(sample >> 8)] }
    }
    let recording = Recording(stereo: data, rate: rate)
    #expect(recording.amplitude(of: 440, in: 0) < 0.45)
    #expect(abs(recording.medianAmplitude(of: 440, in: 0) - 0.5) < 0.002)
  }
}
