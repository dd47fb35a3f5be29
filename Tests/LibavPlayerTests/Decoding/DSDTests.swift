import Foundation
import MediaFolders
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("DSD")
struct DSDTests {
  /// A DSF file of one sine per channel at half of full scale: DSD64, of 2,822,400 bits a second.
  private func dsf(frequencies: [Double], seconds: Double) -> [UInt8] {
    let rate = 2_822_400
    let block = 4_096
    let blocks = Int((seconds * Double(rate) / 8 / Double(block)).rounded(.up))
    let channels = frequencies.map { frequency in
      modulated(frequency, bytes: blocks * block, rate: Double(rate))
    }
    var data: [UInt8] = []
    for index in 0..<blocks {
      for channel in channels { data += channel[(index * block)..<((index + 1) * block)] }
    }
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let format: [UInt8] =
      number(1, 4) + number(0, 4) + number(channels.count, 4) + number(channels.count, 4)
      + number(rate, 4) + number(1, 4) + number(blocks * block * 8, 8) + number(block, 4)
      + number(0, 4)
    return Array("DSD ".utf8) + number(28, 8) + number(28 + 52 + 12 + data.count, 8) + number(0, 8)
      + Array("fmt ".utf8) + number(52, 8) + format
      + Array("data".utf8) + number(12 + data.count, 8) + data
  }

  /// A sine as the bits of a sigma-delta modulator of second order, the first bit lowest.
  private func modulated(_ frequency: Double, bytes: Int, rate: Double) -> [UInt8] {
    var (first, second, bit) = (0.0, 0.0, 1.0)
    return (0..<bytes).map { index in
      (0..<8).reduce(UInt8(0)) { byte, place in
        let value = 0.5 * sin(2 * .pi * frequency * Double(8 * index + place) / rate)
        first += value - bit
        second += first - bit
        bit = second >= 0 ? 1 : -1
        return bit > 0 ? byte | 1 << UInt8(place) : byte
      }
    }
  }

  @Test("F4 · a DSD file is listed and plays at 88.2 kHz, with its pitch, level and length")
  func plays() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("song.dsf", dsf(frequencies: [440, 660], seconds: 0.5))
    let song = try #require(FolderScan(MediaFolder(folder.path)).songs.first)
    #expect(song.format == "dsd" && song.channels == 2)
    #expect(abs((song.duration ?? 0) - 0.5) < 0.02)
    let file = try open(path)
    #expect(file.format.rate == 88_200)
    let decoded = try Decoded(file)
    #expect(abs(Double(decoded.frames) / 88_200 - (song.duration ?? 0)) < 0.000_1)
    for (index, frequency) in [440.0, 660].enumerated() {
      // Without the noise above the music.
      let samples = smooth(decoded.channels[index])[4_000..<40_000]
      #expect(abs(SoundMeasurement.frequency(samples, rate: 88_200) - frequency) < 1)
      #expect((0.3...0.4).contains(SoundMeasurement.level(samples)))
    }
    try file.seek(to: 20_000)
    #expect(file.position == 20_000)
    let part = smooth(try Decoded(file, limit: 4_000).channels[0])
    let expected = smooth(Array(decoded.channels[0][20_000..<24_000]))
    let worst = zip(part, expected).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 0.02)
  }

  private func smooth(_ samples: [Float]) -> [Float] {
    samples.indices.dropFirst(15).map { samples[($0 - 15)...$0].reduce(0, +) / 16 }
  }
}
