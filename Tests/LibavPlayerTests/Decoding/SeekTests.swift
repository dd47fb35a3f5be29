import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Seeking")
struct SeekTests {
  @Test(
    "A seek lands on the very frame, forwards and backwards",
    arguments: (StoredFormat.lossless + StoredFormat.lossy).filter { !$0.isTimedInMilliseconds })
  func exact(stored: StoredFormat) async throws {
    let folder = try TemporaryFolder()
    let tone = Tone(frames: 44_100 * 4, frequencies: [300, 500], rise: 200)
    let path = try await tone.encoded(stored.name, stored.options, in: folder)
    let whole = try Decoded(open(path))
    let track = try open(path)
    for target in [100_001, 5, 150_000, 0, 1_152, 149_999, 77_777] {
      try track.seek(to: Int64(target))
      #expect(track.position == Int64(target))
      let part = try Decoded(track, limit: 3_000)
      for channel in 0...1 {
        let expected = whole.channels[channel][target..<(target + 3_000)]
        let difference = zip(part.channels[channel], expected).map { abs($0 - $1) }.max() ?? 1
        #expect(difference <= tolerance(stored), "frame \(target), channel \(channel)")
      }
    }
  }

  @Test(
    "Where packets have their times in milliseconds, a seek lands within 60 frames",
    arguments: (StoredFormat.lossless + StoredFormat.lossy).filter(\.isTimedInMilliseconds))
  func nearlyExact(stored: StoredFormat) async throws {
    let folder = try TemporaryFolder()
    let tone = Tone(frames: 44_100 * 4, frequencies: [300, 500], rise: 200)
    let path = try await tone.encoded(stored.name, stored.options, in: folder)
    let whole = try Decoded(open(path)).channels[0]
    let file = try open(path)
    for target in [100_001, 5, 150_000, 0, 77_777] {
      try file.seek(to: Int64(target))
      #expect(file.position == Int64(target))
      let part = try Decoded(file, limit: 2_000).channels[0]
      // The largest difference at each offset of up to 60 frames.
      let differences = (max(0, target - 60)...(target + 60)).map { place in
        zip(part, whole[place...]).map { abs($0 - $1) }.max() ?? 1
      }
      #expect((differences.min() ?? 1) <= 0.02, "frame \(target)")
    }
  }

  /// The largest difference of a sample after a seek. Opus converges within its pre-roll, AAC fills
  /// gaps with random noise; all others are exact but for rounding. A seek that is one frame off
  /// differs by at least 0.02.
  private func tolerance(_ stored: StoredFormat) -> Float {
    switch stored.name {
    case "opus.opus", "aac.m4a", "bare.aac": 0.01
    // libav dithers what it rounds to 16 bits.
    case "layer two.mp2": 1e-4
    default: stored.sample == .float32 ? 1e-4 : 0
    }
  }

  @Test(
    "After a seek the track ends where it always ends", arguments: ["mp3", "ogg", "m4a", "flac"])
  func endAfterSeek(kind: String) async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone().encoded(
      "end.\(kind)", kind == "m4a" ? ["-movie_timescale", "44100"] : [], in: folder)
    let track = try open(path)
    try track.seek(to: 60_000)
    #expect(try Decoded(track).frames == 28_203)
  }

  @Test("A seek past the end ends the track, and a seek back plays it again")
  func behindEnd() async throws {
    let folder = try TemporaryFolder()
    let track = try open(try await Tone().encoded("short.flac", [], in: folder))
    try track.seek(to: 9_000_000)
    #expect(try track.next() == nil)
    try track.seek(to: -5)
    #expect(try Decoded(track).frames == 88_203)
  }

  @Test("After the end a seek back plays again", arguments: ["mp3", "ogg", "opus", "m4a", "wav"])
  func afterEnd(kind: String) async throws {
    let folder = try TemporaryFolder()
    let track = try open(try await Tone(rate: 48_000).encoded("again.\(kind)", [], in: folder))
    let frames = try Decoded(track).frames
    try track.seek(to: 0)
    #expect(try Decoded(track).frames == frames)
  }
}
