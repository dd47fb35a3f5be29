import Foundation
import MediaFolders
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Bitstreams in samples")
struct BitstreamTests {
  private static let tone = Tone(frames: 44_100 * 4)

  /// The ways in which a bitstream lies in 16-bit samples.
  enum Packing: String, CaseIterable {
    case dts, dtsSwapped, dts14, dtsAfterSilence, dtsInDigitalOutput, ac3InDigitalOutput
    case ac3SwappedInDigitalOutput, ac3, ac3Swapped, mp3

    var format: String {
      rawValue.hasPrefix("dts") ? "dts" : rawValue.hasPrefix("ac3") ? "ac3" : "mp3"
    }
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Encodes the tone and packs it as samples of 16 bits in two channels.
  private func pack(_ packing: Packing, in folder: TemporaryFolder) async throws -> [UInt8] {
    let dts = ["-strict", "-2", "-c:a", "dca", "-b:a", packing == .dts14 ? "1234800" : "1411200"]
    let options =
      switch packing {
      case .dtsInDigitalOutput: dts + ["-f", "spdif"]
      case .ac3InDigitalOutput, .ac3SwappedInDigitalOutput: ["-c:a", "ac3", "-f", "spdif"]
      case .ac3, .ac3Swapped: ["-c:a", "ac3", "-f", "ac3"]
      case .mp3: ["-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3"]
      default: dts + ["-f", "dts"]
      }
    let stream = try bytes(try await Self.tone.encoded("tools/stream", options, in: folder))
    switch packing {
    case .dtsSwapped, .ac3Swapped, .ac3SwappedInDigitalOutput: return Bitstream.swap(stream)
    case .dts14: return fourteenBits(stream)
    case .dtsAfterSilence: return [UInt8](repeating: 0, count: 44_100 * 4) + stream
    default: return stream
    }
  }

  /// Packs a stream into the lower 14 bits of words, lowest byte first, as on a CD.
  private func fourteenBits(_ stream: [UInt8]) -> [UInt8] {
    var packed: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in stream {
      bits = bits << 8 | UInt32(byte)
      count += 8
      guard count >= 14 else { continue }
      count -= 14
      let word = UInt16(bits >> count & 0x3FFF)
      let signed = word & 0x2000 != 0 ? word | 0xC000 : word
      packed += [UInt8(signed & 0xFF), UInt8(signed >> 8)]
    }
    return packed
  }

  /// Writes samples as a file; ffmpeg must not see that they are a bitstream.
  private func write(_ samples: [UInt8], _ name: String, in folder: TemporaryFolder) async throws
    -> String
  {
    let raw = try folder.write("tools/raw", samples)
    let path = try folder.file(name)
    try await run(
      "ffmpeg", ["-v", "error", "-y", "-f", "s16le", "-ar", "44100", "-ac", "2", "-i", raw, path])
    return path
  }

  private func expectTone(_ sound: Decoded, from start: Int = 10_000) throws {
    #expect(sound.format.rate == 44_100)
    try #require(sound.frames > start + 40_000)
    let part = sound.channels[0][start..<(start + 40_000)]
    #expect(abs(SoundMeasurement.frequency(part, rate: 44_100) - 440) < 1)
    // Noise at full scale has a level of 0.58.
    #expect(abs(SoundMeasurement.level(part) - 0.3536) < 0.02)
  }

  @Test(
    "a bitstream in a WAV file plays as music and never as noise",
    arguments: Packing.allCases.filter { $0 != .mp3 })
  func wave(packing: Packing) async throws {
    let folder = try TemporaryFolder()
    let samples = try await pack(packing, in: folder)
    let path = try await write(samples, "disc/song.wav", in: folder)
    let file = try open(path)
    let decoded = try Decoded(file)
    let silence = packing == .dtsAfterSilence ? 44_100 : 0
    // The silence in front is not sound.
    try expectTone(decoded)
    let song = try #require(FolderScan(MediaFolder(folder.path + "/disc")).songs.first)
    #expect(song.format == packing.format)
    #expect(song.channels == 2)
    guard packing.format == "dts" else { return }
    #expect(abs((song.duration ?? 0) - Double(176_400 + silence) / 44_100) < 0.05)
    try file.seek(to: Int64(silence + 100_000))
    #expect(file.position == Int64(silence + 100_000))
    let part = try Decoded(file, limit: 4_000).channels[0]
    let worst = zip(part, decoded.channels[0][100_000...]).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 0.02)
    try file.seek(to: 9_000_000)
    #expect(try file.next() == nil)
    try file.seek(to: 0)
    #expect(try Decoded(file).frames == decoded.frames)
  }

  @Test(
    "a bitstream is found in other lossless files, too",
    arguments: ["flac", "aiff", "wv", "m4a", "tta", "au", "caf", "w64", "mka"],
    [Packing.dts, .dts14, .ac3InDigitalOutput])
  func lossless(kind: String, packing: Packing) async throws {
    let folder = try TemporaryFolder()
    let samples = try await pack(packing, in: folder)
    let raw = try folder.write("tools/raw", samples)
    let path = try folder.file("song.\(kind)")
    let codec = ["m4a": "alac", "caf": "alac", "mka": "flac"][kind].map { ["-c:a", $0] } ?? []
    try await run(
      "ffmpeg",
      ["-v", "error", "-f", "s16le", "-ar", "44100", "-ac", "2", "-i", raw] + codec + [path])
    try expectTone(Decoded(open(path)))
  }

  @Test(
    "a bitstream without a container plays under any name",
    arguments: ["dts", "wav", "mp3", "flac", "bin"],
    [Packing.dts, .dtsSwapped, .ac3, .ac3InDigitalOutput])
  func raw(ending: String, packing: Packing) async throws {
    let folder = try TemporaryFolder()
    let samples = try await pack(packing, in: folder)
    let path = try folder.write("disc/song.\(ending)", samples)
    let sound = try Decoded(open(path))
    try expectTone(sound)
    let song = try #require(FolderScan(MediaFolder(folder.path + "/disc")).songs.first)
    #expect(song.format == packing.format)
  }

  @Test("Samples of music and noise are no bitstream", arguments: [0, 1, 2])
  func samples(kind: Int) throws {
    var random = Lehmer(seed: UInt64(kind))
    let bytes: [UInt8] =
      switch kind {
      case 0: Array(Self.tone.wav().dropFirst(44))
      case 1: (0..<400_000).map { _ in UInt8.random(in: 0...255, using: &random) }
      default: (0..<400_000).map { _ in Bool.random(using: &random) ? 0xFF : 0x00 }
      }
    #expect(Bitstream(in: bytes) == nil)
  }
}

@Suite("Kinds of sound that are rare")
struct RareFormatTests {
  @Test(
    "E9 · what libav decodes is listed and plays",
    arguments: [
      ("a.wav", "adpcm_ms", 44_100), ("b.wav", "adpcm_ima_wav", 44_100),
      ("c.aiff", "adpcm_ima_qt", 44_100), ("d.caf", "adpcm_ima_qt", 44_100),
      ("e.wav", "adpcm_yamaha", 44_100), ("f.wav", "g726", 8_000), ("g.wav", "g722", 16_000),
      ("h.wav", "libgsm_ms", 8_000), ("i.spx", "libspeex", 16_000), ("j.wav", "pcm_mulaw", 44_100),
      ("k.au", "pcm_alaw", 44_100), ("l.wav", "mp2", 44_100), ("m.mka", "ac3", 48_000),
      ("n.mka", "truehd", 48_000), ("o.wma", "wmav1", 44_100), ("p.wav", "libmp3lame", 44_100),
      ("r.mka", "eac3", 48_000),
      ("t.ac3", "ac3", 48_000), ("u.eac3", "eac3", 48_000), ("v.w64", "adpcm_ms", 44_100),
      ("w.mov", "pcm_u8", 44_100), ("x.wav", "pcm_f64le", 44_100),
    ])
  func listed(name: String, codec: String, rate: Int) async throws {
    let folder = try TemporaryFolder()
    let isMono = rate < 44_100
    let options = ["-strict", "-2", "-c:a", codec, "-ar", "\(rate)", "-ac", isMono ? "1" : "2"]
    var path = try await Tone(frames: 44_100 * 2, frequencies: [440, 440]).encoded(
      name, options, in: folder)
    if name.hasSuffix("mov") {
      let music = try folder.file("music.m4a")
      try await run("mv", [path, music])
      path = music
    }
    let scan = try FolderScan(MediaFolder(folder.path))
    #expect(scan.skipped.failures.map(\.message) == [])
    #expect(scan.songs.count == 1)
    let decoded = try Decoded(open(path))
    let rate = decoded.format.rate
    let middle = decoded.channels[0][(rate / 4)..<(decoded.frames - rate / 4)]
    #expect(abs(SoundMeasurement.frequency(middle, rate: rate) - 440) < 3)
  }

  @Test("A scan leaves out what the decoder refuses, with the reason")
  func refused() throws {
    let folder = try TemporaryFolder()
    let tones = [Double](repeating: 440, count: 12)
    try folder.write("many.wav", Tone(frames: 44_100, frequencies: tones).wav())
    var unknown = Tone(frames: 44_100).wav()
    // The number of the codec.
    unknown.replaceSubrange(20..<22, with: [0x77, 0x77])
    try folder.write("unknown.wav", unknown)
    let scan = try FolderScan(MediaFolder(folder.path))
    #expect(scan.songs == [])
    let failures = scan.skipped.failures.sorted { $0.subject < $1.subject }
    #expect(failures.map(\.kind) == [.unsupported, .unsupported])
    #expect(failures.first?.detail.contains("12 channels") == true)
    #expect(failures.last?.detail.contains("is not played") == true)
  }
}
