import Foundation
import TestSupport

/// Sound in a WAV file, as measured at the speakers.
struct Recording {
  let rate: Double
  /// The samples of each channel, −1 to 1.
  let channels: [[Double]]

  /// Reads 16-bit PCM. The header's lengths are not trusted: the file may still be written.
  init?(_ url: URL) {
    guard let data = try? Data(contentsOf: url), data.count > 44 else { return nil }
    let bytes = [UInt8](data)
    func number(_ offset: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    let count = number(22, 2)
    guard number(34, 2) == 16, (1...8).contains(count),
      let start = data.range(of: Data("data".utf8))?.upperBound
    else { return nil }
    rate = Double(number(24, 4))
    let body = bytes.dropFirst(start + 4)
    let frames = body.count / (2 * count)
    var channels = [[Double]](repeating: [], count: count)
    var offset = body.startIndex
    for _ in 0..<frames {
      for channel in 0..<count {
        let value = Int16(bitPattern: UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8)
        channels[channel].append(Double(value) / 32768)
        offset += 2
      }
    }
    self.channels = channels
  }

  /// Reads raw 16-bit frames of two channels.
  init(stereo data: Data, rate: Double) {
    self.rate = rate
    let bytes = [UInt8](data)
    let samples = (0..<bytes.count / 2).map { index in
      Double(Int16(bitPattern: UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8))
        / 32768
    }
    channels = (0..<2).map { channel in
      stride(from: channel, to: samples.count - samples.count % 2, by: 2).map { samples[$0] }
    }
  }

  /// The length in seconds.
  var seconds: Double { Double(channels.first?.count ?? 0) / rate }

  /// A channel's sound without the silence before and after it.
  func sounding(_ channel: Int, above threshold: Double = 0.0005) -> [Double] {
    guard channels.indices.contains(channel) else { return [] }
    let samples = channels[channel]
    guard let first = samples.firstIndex(where: { abs($0) > threshold }),
      let last = samples.lastIndex(where: { abs($0) > threshold })
    else { return [] }
    return Array(samples[first...last])
  }

  /// The frequency of a steady tone in Hz.
  func frequency(_ channel: Int) -> Double {
    SoundMeasurement.frequency(sounding(channel), rate: Int(rate))
  }

  /// The root mean square of the sound, 0 to 1.
  func level(_ channel: Int) -> Double { SoundMeasurement.level(sounding(channel)) }

  /// The amplitude of the sine of a frequency in a channel.
  func amplitude(of frequency: Double, in channel: Int) -> Double {
    amplitude(of: frequency, in: sounding(channel)[...])
  }

  /// The median of the amplitudes of parts of a tenth of a second. Where a sound begins anew with
  /// another phase, the whole has a smaller amplitude than its parts.
  func medianAmplitude(of frequency: Double, in channel: Int) -> Double {
    let samples = sounding(channel)
    let length = Int(rate / 10)
    let parts = stride(from: 0, to: samples.count - length + 1, by: length).map { start in
      amplitude(of: frequency, in: samples[start..<start + length])
    }
    return parts.isEmpty ? 0 : parts.sorted()[parts.count / 2]
  }

  /// The amplitude of the sine of a frequency (Goertzel).
  private func amplitude(of frequency: Double, in samples: ArraySlice<Double>) -> Double {
    guard !samples.isEmpty else { return 0 }
    let coefficient = 2 * cos(2 * Double.pi * frequency / rate)
    var last = 0.0
    var beforeLast = 0.0
    for sample in samples { (last, beforeLast) = (sample + coefficient * last - beforeLast, last) }
    let power = last * last + beforeLast * beforeLast - coefficient * last * beforeLast
    return 2 * max(0, power).squareRoot() / Double(samples.count)
  }
}

extension LiveController {
  /// The recordings of the `capture` device, oldest first: one each time it was opened.
  var recordings: [URL] {
    let place = folder.appendingPathComponent("sound")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    return names.sorted().map { place.appendingPathComponent($0) }
  }

  /// The recording since the sound device was last opened.
  var newestRecording: Recording? { recordings.last.flatMap(Recording.init) }

  /// Makes a file with a sine of `frequency` Hz on the left (and another on the right).
  func makeTone(
    _ name: String, seconds: Double, left: Double, right: Double? = nil, level: Double = 0.5
  ) async throws {
    let path = folder.appendingPathComponent("music/\(name)").path
    var words = ["-n", "-r", "44100", "-c", right == nil ? "1" : "2", "-b", "16", path]
    words += ["synth", "\(seconds)", "sine", "\(left)"]
    if let right { words += ["sine", "\(right)"] }
    words += ["vol", "\(level)"]
    let outcome = try await Program.run(URL(fileURLWithPath: "/usr/bin/sox"), words)
    guard outcome.status == 0 else { throw Missing(what: "sox: \(outcome.errors)") }
  }

  struct Missing: Error { let what: String }
}
