import Foundation
import Synchronization
import TestSupport

/// A known signal: one sine per channel, at half of full scale.
struct Tone: Hashable {
  var rate = 44_100
  var frames = 88_203
  /// Hertz, one for each channel.
  var frequencies = [440.0, 660.0]
  /// Hertz a second by which the tones rise: makes each moment recognisable.
  var rise = 0.0

  /// The sample of a channel at a frame, −1…1.
  func value(_ channel: Int, _ frame: Int) -> Double {
    let time = Double(frame) / Double(rate)
    return 0.5 * sin(2 * .pi * (frequencies[channel] + rise * time / 2) * time)
  }

  /// The signal as a 16-bit WAV file.
  func wav() -> [UInt8] {
    if let made = Self.made.withLock({ $0[self] }) { return made }
    let channels = frequencies.count
    let size = frames * channels * 2
    var bytes: [UInt8] = []
    func put(_ text: String) { bytes += Array(text.utf8) }
    func put(_ value: Int, _ count: Int) {
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
    put("RIFF")
    put(36 + size, 4)
    put("WAVEfmt ")
    put(16, 4)
    put(1, 2)
    put(channels, 2)
    put(rate, 4)
    put(rate * channels * 2, 4)
    put(channels * 2, 2)
    put(16, 2)
    put("data")
    put(size, 4)
    var samples = [Int16](repeating: 0, count: frames * channels)
    for frame in 0..<frames {
      for channel in 0..<channels {
        samples[frame * channels + channel] = Int16((value(channel, frame) * 32767).rounded())
      }
    }
    samples.withUnsafeBytes { bytes += $0 }
    Self.made.withLock { $0[self] = bytes }
    return bytes
  }

  /// The WAV bytes by signal, kept because most tests use the same few signals.
  private static let made = Mutex<[Tone: [UInt8]]>([:])

  /// Writes the signal as `name`, encoded by ffmpeg with `options`, and returns the file's path.
  func encoded(_ name: String, _ options: [String], in folder: TemporaryFolder) async throws
    -> String
  {
    let source = try folder.write("source-\(UUID().uuidString).wav", wav())
    let path = try folder.file(name)
    try await run("ffmpeg", ["-v", "error", "-y", "-i", source] + options + [path])
    try FileManager.default.removeItem(atPath: source)
    return path
  }
}
