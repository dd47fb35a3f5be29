import MediaNetwork
import TestSupport
import Testing

@testable import LibavPlayer

/// One way to store the test tone, and what must come back.
struct StoredFormat: CustomTestStringConvertible, Sendable {
  var name: String
  var options: [String] = []
  var sample: PCMFormat.Sample
  var rate = 44_100
  /// Frames that may be too many or too few: 0 where the format can tell its exact length.
  var slack = 0
  /// Whether its packets tell their times in milliseconds, so that a seek may miss by one.
  var isTimedInMilliseconds = false

  var testDescription: String { name }

  static let lossless = [
    StoredFormat(name: "16 bit.wav", sample: .int16),
    StoredFormat(name: "24 bit.wav", options: ["-c:a", "pcm_s24le"], sample: .int32),
    StoredFormat(name: "float.wav", options: ["-c:a", "pcm_f32le"], sample: .float32),
    StoredFormat(name: "16 bit.flac", sample: .int16),
    StoredFormat(name: "24 bit.flac", options: ["-sample_fmt", "s32"], sample: .int32),
    StoredFormat(name: "in ogg.oga", options: ["-c:a", "flac"], sample: .int16),
    StoredFormat(name: "alac.m4a", options: ["-c:a", "alac"], sample: .int16),
    StoredFormat(name: "big endian.aiff", sample: .int16),
    StoredFormat(name: "wavpack.wv", sample: .int16),
    StoredFormat(name: "wavpack float.wv", options: ["-sample_fmt", "fltp"], sample: .float32),
    StoredFormat(name: "sun.au", sample: .int16),
    StoredFormat(
      name: "flac in matroska.mka", options: ["-c:a", "flac"], sample: .int16,
      isTimedInMilliseconds: true),
    StoredFormat(name: "true audio.tta", sample: .int16),
    StoredFormat(name: "alac.caf", options: ["-c:a", "alac"], sample: .int16),
  ]
  static let lossy = [
    StoredFormat(name: "constant.mp3", options: ["-b:a", "256k"], sample: .float32),
    StoredFormat(name: "variable.mp3", options: ["-q:a", "4"], sample: .float32),
    StoredFormat(name: "vorbis.ogg", options: ["-c:a", "libvorbis"], sample: .float32),
    StoredFormat(
      name: "opus.opus", options: ["-c:a", "libopus"], sample: .float32, rate: 48_000, slack: 2),
    // Without it ffmpeg writes the length in milliseconds.
    StoredFormat(
      name: "aac.m4a", options: ["-c:a", "aac", "-movie_timescale", "44100"], sample: .float32),
    // Windows Media tells neither delay nor padding; Matroska rounds to milliseconds.
    StoredFormat(
      name: "windows.wma", options: ["-c:a", "wmav2"], sample: .float32, slack: 4_096,
      isTimedInMilliseconds: true),
    StoredFormat(
      name: "opus in matroska.mka", options: ["-c:a", "libopus"], sample: .float32, rate: 48_000,
      slack: 1_024, isTimedInMilliseconds: true),
    StoredFormat(name: "layer two.mp2", options: ["-c:a", "mp2"], sample: .int16, slack: 2_304),
    // A bare AAC stream tells neither delay nor padding.
    StoredFormat(name: "bare.aac", options: ["-c:a", "aac"], sample: .float32, slack: 3 * 1024),
  ]
}

@Suite("Decoding, format by format")
struct FormatTests {
  @Test(
    "F4 · a tone comes back with its pitch, its length and its channels in place",
    arguments: StoredFormat.lossless + StoredFormat.lossy)
  func tone(stored: StoredFormat) async throws {
    let folder = try TemporaryFolder()
    let tone = Tone()
    let path = try await tone.encoded(stored.name, stored.options, in: folder)
    let decoded = try Decoded(open(path))
    #expect(decoded.format.sample == stored.sample)
    #expect(decoded.format.rate == stored.rate)
    #expect(decoded.format.channels == 2)
    let expected = tone.frames * stored.rate / tone.rate
    #expect(abs(decoded.frames - expected) <= stored.slack)
    let middle = 4_000..<(decoded.frames - 4_000)
    #expect(
      abs(SoundMeasurement.frequency(decoded.channels[0][middle], rate: stored.rate) - 440) < 0.5)
    #expect(
      abs(SoundMeasurement.frequency(decoded.channels[1][middle], rate: stored.rate) - 660) < 0.5)
    #expect(abs(SoundMeasurement.level(decoded.channels[0][middle]) - 0.3536) < 0.01)
  }

  @Test("F4 · lossless files come back bit for bit", arguments: StoredFormat.lossless)
  func bits(stored: StoredFormat) async throws {
    let folder = try TemporaryFolder()
    let tone = Tone(frames: 30_011)
    let path = try await tone.encoded(stored.name, stored.options, in: folder)
    let decoded = try Decoded(open(path), chunk: 777)
    for channel in 0...1 {
      let expected = (0..<tone.frames).map {
        Float((tone.value(channel, $0) * 32767).rounded() / 32768)
      }
      #expect(decoded.channels[channel] == expected)
    }
  }

  @Test("F4 · each of six channels stays in its place", arguments: ["flac", "ogg", "m4a", "wav"])
  func surround(kind: String) async throws {
    let folder = try TemporaryFolder()
    // The fourth is the low-frequency channel, which lossy codecs cut above about 120 Hz.
    let frequencies = [440.0, 550, 660, 80, 770, 880]
    let tone = Tone(rate: 48_000, frames: 48_000, frequencies: frequencies)
    let options = ["-channel_layout", "5.1"]
    let path = try await tone.encoded("six.\(kind)", options, in: folder)
    let decoded = try Decoded(open(path))
    #expect(decoded.format.channels == 6)
    #expect([0x3f, 0x60f].contains(decoded.format.speakers))
    for (index, frequency) in frequencies.enumerated() {
      let measured = SoundMeasurement.frequency(
        decoded.channels[index][6_000..<42_000], rate: 48_000)
      #expect(abs(measured - frequency) < 1, "channel \(index)")
    }
  }

  @Test(
    "Tags, length and codec are read from each format",
    arguments: ["flac", "mp3", "ogg", "opus", "m4a"])
  func tags(kind: String) async throws {
    let folder = try TemporaryFolder()
    let values = [
      "title=Nacht & Träume", "artist=The Testers", "album=First", "track=3/12", "disc=2/2",
    ]
    let path = try await Tone(frames: 44_100).encoded(
      "tagged.\(kind)", values.flatMap { ["-metadata", $0] }, in: folder)
    let demuxer = try FileContent(path: path, interrupt: LibavInterrupt()).openForTags(
      path, subject: "", interrupt: LibavInterrupt())
    let tags = demuxer.tags
    #expect(tags.title == "Nacht & Träume")
    #expect(tags.artist == "The Testers")
    #expect(tags.album == "First")
    #expect(tags.track == 3)
    #expect(tags.disc == 2)
    #expect(abs((try open(path).duration ?? 0) - 1) < 0.03)
  }

  @Test("The content decides where the file's name lies about its kind")
  func wrongName() async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone().encoded("really.flac", ["-f", "flac"], in: folder)
    let renamed = try folder.file("claims.mp3")
    try await run("mv", [path, renamed])
    #expect(try Decoded(open(renamed)).frames == 88_203)
  }
}
